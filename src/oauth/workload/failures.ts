import { exitCode, type Failure } from '../../core/failure.js';
import { type LoginMeant, loginCommand } from '../../core/login-command.js';
import { quotedServer } from '../../core/resource.js';
import { type JsonObject, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { failure } from '../failures.js';

/**
 * A platform's token that is not sent. `why` ends a sentence.
 * @param source In words. @param problem What is wrong with it: its form, its time, or whom it is for.
 */
export function assertionUnusable(
  source: string,
  about: { readonly problem: 'form' | 'time' | 'audience'; readonly why: string; readonly found?: string },
  audience: string,
): Failure {
  const { problem, why, found } = about;
  const shown = found === undefined ? '' : ` (${quoted(found, 200)})`;
  const message = `The platform’s token from ${source} cannot be used: ${why}${shown}. It was not sent.`;
  const remedy = afterProblem[problem](quoted(audience, 200));
  return failure(exitCode.loginNeeded, 'assertion_unusable', message, remedy);
}

const afterProblem = {
  form: () => 'It has to be a signed JWT (RFC 7519), alone on its line. How platforms issue one: postern help machines',
  time: () => 'Have the platform issue another one, and compare the clocks. It is read again each time.',
  audience: (audience: string) =>
    `Have the platform issue one with the audience ${audience}, and no other. Where the authorization server wants another one, say which when you log in: --assertion-audience (postern help machines)`,
} as const;

/** Renewals by a platform's token were refused so often that no other one is sent for now. */
export function platformRefusedTooOften(login: LoginMeant, max: number): Failure {
  const message = `The authorization server refused the platform’s tokens for ${quotedServer(login.server, 200)} ${max} times within an hour. No other one was sent.`;
  const remedy = `Once it trusts this platform, run: ${loginCommand(login)}`;
  return failure(exitCode.refused, 'assertion_refused', message, remedy);
}

/** The authorization server refused the client, or the grant, that a platform's token stands for. */
export function assertionRefused(failure: Failure, source: string, claims: JsonObject): Failure {
  const [issuer, subject] = ['iss', 'sub'].map((name) => quoted(stringField(claims, name) || 'none', 200));
  return failure.withRemedy(
    `The token from ${source} has the issuer ${issuer} and the subject ${subject}: check that this client trusts both there. Nothing else was tried.`,
  );
}
