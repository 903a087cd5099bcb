import { exitCode, Failure, isFailure } from '../../core/failure.js';
import { type LoginMeant, loginCommand } from '../../core/login-command.js';
import { namedServer } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';
import type { FailedRequest } from '../engine.js';
import { failure, type RefusedRequest, refusalInWords, tokenEndpointFailed } from '../failures.js';

/** The company's provider gave no ID-JAG for a server. */
export function providerFailed(failed: FailedRequest, provider: string, login: LoginMeant): Failure {
  if (failed.problem === 'transient') return tokenEndpointFailed(provider, failed);
  if (failed.problem === 'refused') return providerRefused(provider, failed, login);
  const message = `The company’s provider ${quoted(provider)} sent no ID-JAG that may be used: ${failed.why}. Nothing was sent on.`;
  const remedy =
    'Show this to the operator of the provider: aud, resource and client_id must be those of the server (draft-ietf-oauth-identity-assertion-authz-grant). See: postern help company';
  return failure(exitCode.serverBreaksRules, 'id_jag_unusable', message, remedy, true);
}

/** The company's provider refused to vouch for this user at this server (RFC 8693 section 2.2.2). */
function providerRefused(provider: string, refusal: RefusedRequest, login: LoginMeant): Failure {
  const { error } = refusal;
  const server = quoted(namedServer(login.server), 200);
  const message = `The company’s provider ${quoted(provider)} does not vouch for this login at ${server} ${refusalInWords(refusal)}.`;
  if (error === 'invalid_grant') {
    return failure(exitCode.loginNeeded, 'login_expired', message, `Log in there again: ${loginCommand(login)}`);
  }
  const known = Object.hasOwn(afterRefusal, error) ? afterRefusal[error] : undefined;
  return failure(exitCode.refused, 'provider_refused', message, known ?? askAdministrator);
}

const askAdministrator =
  'Ask your company’s administrator whether you may use this server by it. What they have to set up: postern help company';

const notSetUp =
  'Your company’s administrator has to set it up: the client (--idp-client-id) may exchange ID tokens there, for this server’s authorization server. See: postern help company';

const afterRefusal: Readonly<Record<string, string>> = {
  invalid_client:
    'Check --idp-client-id and, where it has a secret, --idp-client-secret-file. See: postern help company',
  unauthorized_client: notSetUp,
  unsupported_grant_type: notSetUp,
  unsupported_token_type: notSetUp,
  invalid_request: notSetUp,
  invalid_target:
    'The provider knows no such server. Your company’s administrator has to add it. See: postern help company',
  invalid_scope: 'Check --scope, or leave it out. See: postern help company',
};

/** What to do where the authorization server of a server takes no ID-JAG. */
export const withoutVouching =
  'Log in without --idp, or ask its operator for enterprise-managed authorization. See: postern help company';

/** What to do where the company's provider issues none. */
export const vouchingNotSetUp =
  'Ask your company’s administrator to set it up there. What that takes: postern help company';

/** The server names the very provider for its authorization server. */
export function providerIsIssuer(provider: string, login: LoginMeant): Failure {
  const message = `${quoted(namedServer(login.server), 200)} names the company’s provider ${quoted(provider)} as its own authorization server, so no vouching is needed. Nothing was sent.`;
  const remedy = `If the server is your company’s, log in without the provider: ${loginCommand(login)}`;
  return failure(exitCode.refused, 'provider_is_issuer', message, remedy);
}

/** The authorization server of the server did not take what the provider vouched for; other failures stay as they are. */
export function idJagRefused(failure: Failure, provider: string): Failure {
  if (!isFailure(failure, 'invalid_grant', 'invalid_client', 'unauthorized_client', 'grant_refused')) return failure;
  return failure.withRemedy(
    `It was shown an ID-JAG of ${quoted(provider, 200)}, as the client of --client-id: it has to trust that provider, and to know that client and its secret. Show this to your company’s administrator. See: postern help company`,
  );
}

/** There is no login at the provider any more that could vouch. `why` ends a sentence. */
export function providerLoginEnded(provider: string, why: string, login: LoginMeant, cause?: unknown): Failure {
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `The login at the company’s provider ${quoted(provider)} is no longer good: ${why}.`,
    remedy: `Log in there again, once for all its servers: ${loginCommand(login)}`,
    cause,
  });
}

/** The user logged in at the provider is not the user of this login. */
export function otherPersonVouched(provider: string, login: LoginMeant): Failure {
  const message = `A different user is now logged in at the company’s provider ${quoted(provider)}. Nothing was sent.`;
  const remedy = `To use this server as that user, run: ${loginCommand(login)}`;
  return failure(exitCode.loginNeeded, 'login_expired', message, remedy);
}

/** An ID token of a file is not sent. `why` ends a sentence. */
export function idTokenUnusable(source: string, why: string): Failure {
  const message = `The ID token from ${source} cannot be used: ${why}. It was not sent.`;
  const remedy =
    'It must be an unexpired ID token of the provider (--idp) for its client (--idp-client-id). It is read again each time. See: postern help company';
  return failure(exitCode.loginNeeded, 'assertion_unusable', message, remedy);
}

/** The provider refused so often that it is not asked for now. */
export function providerRefusedTooOften(login: LoginMeant, max: number): Failure {
  const message = `A login by the company’s provider was refused ${max} times within an hour for ${quoted(namedServer(login.server), 200)}. Nobody was asked again.`;
  const remedy = `Once it is allowed, run: ${loginCommand(login)}`;
  return failure(exitCode.refused, 'provider_refused', message, remedy);
}
