import type { ClientAuth } from 'oauth4webapi';
import { exitCode, type Failure } from '../../core/failure.js';
import { type LoginMeant, loginCommand } from '../../core/login-command.js';
import { quotedServer } from '../../core/resource.js';
import type { Secret } from '../../core/secret.js';
import { type JsonObject, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { failure } from '../failures.js';
import { partsOf } from '../id-token.js';

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const jwtBearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** How far the clocks of the platform and of this machine may be apart. */
const leewaySeconds = 60;

export type CheckedAssertion =
  /** Its parts, not verified: for what is shown, and to keep it from whom it is not for. */
  | { readonly ok: true; readonly header: JsonObject; readonly claims: JsonObject }
  /** `why` ends a sentence; of the token it may quote `found`, its audience, alone. */
  | {
      readonly ok: false;
      readonly problem: 'form' | 'time' | 'audience';
      readonly why: string;
      readonly found?: string;
    };

/**
 * Whether a platform's token may be sent to one authorization server as an assertion (RFC 7523 section 3): a signed JWT,
 * for that audience and nobody else, valid now. Its signature is the authorization server's to verify. Total.
 * @param expected.now Milliseconds since 1970.
 */
export function checkAssertion(
  assertion: Secret,
  expected: { readonly audience: string; readonly now: number },
): CheckedAssertion {
  const refuse = (problem: 'form' | 'time' | 'audience', why: string) => ({ ok: false, problem, why }) as const;
  const parts = partsOf(assertion.reveal());
  if (parts === undefined) return refuse('form', 'it is no JSON web token');
  const { header, claims, signature } = parts;
  const { alg } = header;
  if (typeof alg !== 'string' || !/^[\w-]{1,40}$/.test(alg)) return refuse('form', 'it names no algorithm');
  if (/^none$/i.test(alg) || !/^[\w-]+$/.test(signature)) return refuse('form', 'it is not signed');
  const time = timeProblem(claims, Math.floor(expected.now / 1000));
  if (time !== undefined) return refuse('time', time);
  const { aud } = claims;
  // With others beside it, whoever gets the token could use it there.
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (audiences.length !== 1 || audiences[0] !== expected.audience) {
    const found = audiences.map((one) => (typeof one === 'string' ? one : 'something that is no text')).join(', ');
    const why = audiences.length > 1 ? 'it is for several audiences' : 'it is for another audience';
    return aud === undefined ? refuse('audience', 'it names no audience') : { ...refuse('audience', why), found };
  }
  return { ok: true, header, claims };
}

function timeProblem({ exp, nbf }: JsonObject, now: number): string | undefined {
  if (typeof exp !== 'number') return 'it does not say when it expires';
  if (exp + leewaySeconds <= now) return `it expired ${inWords(now - exp)} ago`;
  if (nbf === undefined) return undefined;
  if (typeof nbf !== 'number') return 'it does not say from when on it is valid';
  return nbf - leewaySeconds > now ? `it is valid only in ${inWords(nbf - now)}` : undefined;
}

function inWords(seconds: number): string {
  return seconds < 7200 ? `${Math.ceil(seconds)} seconds` : `${Math.floor(seconds / 3600)} hours`;
}

/** The client authenticates with the platform's token as it is (RFC 7523 section 2.2). */
export function assertionAuth(assertion: Secret): ClientAuth {
  return (_server, client, body) => {
    body.set('client_id', client.client_id);
    body.set('client_assertion_type', jwtBearerAssertion);
    body.set('client_assertion', assertion.reveal());
  };
}

/**
 * What the token is to be used for, by what the metadata lists: the grant, else to authenticate; a person's choice goes
 * first. Undefined: neither is offered.
 */
export function assertionUse(
  { grantTypes, tokenAuthMethods }: Readonly<Record<'grantTypes' | 'tokenAuthMethods', readonly string[] | undefined>>,
  chosen: 'client' | 'grant' | undefined,
): 'client' | 'grant' | undefined {
  if (chosen !== undefined) return chosen;
  if (grantTypes?.includes(jwtBearerGrant)) return 'grant';
  return tokenAuthMethods?.includes('private_key_jwt') ? 'client' : undefined;
}

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
