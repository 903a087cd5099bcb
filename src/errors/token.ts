import { type LoginMeant, loginCommand } from '../primitives/login-command.js';
import { quoted } from '../primitives/printable.js';
import type { Step } from '../primitives/step.js';
import { namedServer, visibleUrl } from '../primitives/visible-url.js';
import { exitCode, Failure } from './failure.js';

/** The token endpoint refused the grant (RFC 6749 section 5.2). `error` is one of its codes, or ''. */
export function grantRefused(
  issuer: string,
  answer: { readonly status: number; readonly error: string; readonly said: string },
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: grantErrors.includes(answer.error) ? answer.error : 'grant_refused',
    exit: exitCode.refused,
    message: `The authorization server ${quoted(issuer)} refused to issue a token (${answer.status}${answer.error === '' ? '' : ` ${quoted(answer.error, 80)}`})${answer.said === '' ? '' : `; it said: ${quoted(answer.said)}`}.`,
    remedy: afterGrantError(answer.error),
    trail,
  });
}

const grantErrors: readonly string[] = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_target',
  'invalid_scope',
];

function afterGrantError(error: string): string {
  switch (error) {
    case 'invalid_client':
      return 'The client is not known there. If you gave it, check --client-id and its secret; else run the login again, which registers this program anew.';
    case 'unauthorized_client':
    case 'unsupported_grant_type':
      return 'The authorization server does not let this client log in this way: ask its operator to allow it. Nothing was stored, and an earlier login is as it was.';
    case 'invalid_target':
      return 'The authorization server issues no tokens for this server: report it to the server’s operator.';
    case 'invalid_scope':
      return 'Run the login again and name the scopes with --scope; nothing was stored, and an earlier login is as it was.';
    default:
      return 'Run the login again; nothing was stored, and an earlier login is as it was.';
  }
}

/** `invalid_client` for a client that logs in as itself: nothing of it was registered from here. */
export function ownClientRefused(failure: Failure): Failure {
  const { code, exit, message, trail } = failure;
  const remedy =
    'Check --client-id, and that its secret, or the public half of its key with the method private_key_jwt, is registered there.';
  return new Failure({ code, exit, message, remedy, trail, cause: failure });
}

/** The token endpoint is out of order, for now (5xx, 429). */
export function tokenEndpointFailed(
  issuer: string,
  status: number,
  retryAfterMs: number | undefined,
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: 'token_endpoint_failed',
    exit: exitCode.network,
    message: `The token endpoint of ${quoted(issuer)} answered ${status}; nothing was lost.`,
    remedy:
      retryAfterMs === undefined
        ? 'Try again in a while.'
        : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} seconds.`,
    trail,
  });
}

/** A 200 whose content cannot be a token response (RFC 6749 section 5.1). */
export function tokenUnusable(issuer: string, why: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'token_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The token endpoint of ${quoted(issuer)} gave an answer that cannot be used: ${why}. Nothing was stored.`,
    remedy: 'Report this to the authorization server’s operator.',
    trail,
  });
}

/** A token of a kind that is not Bearer. */
export function tokenTypeUnusable(issuer: string, found: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'token_type_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The token endpoint of ${quoted(issuer)} gave a token of type ${found}, and only Bearer can be used. Nothing was stored.`,
    remedy: 'Report this to the authorization server’s operator.',
    trail,
  });
}

/** There is no login for this server. `likelyName`: the name of one that comes close. */
export function loginNeeded(meant: LoginMeant, likelyName?: string): Failure {
  const shown = namedServer(meant.server);
  const isUrl = /^https?:/i.test(shown);
  const isName = /^[a-z0-9][a-z0-9._-]{0,62}$/.test(shown);
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(shown)}.`,
    remedy:
      likelyName === undefined
        ? `Run: ${isUrl ? loginCommand({ ...meant, server: shown }) : `postern login <the server’s URL>${isName ? ` --name ${shown}` : ''}`}`
        : `Did you mean ${quoted(likelyName)}? All logins: postern status`,
  });
}

/** The entry of another program pins a login to its server and account, and the one of that name is another now. */
export function loginChanged(
  named: string,
  now: { readonly server: string; readonly account: string },
): Failure {
  return new Failure({
    code: 'login_changed',
    exit: exitCode.usage,
    message: `${quoted(visibleUrl(named), 200)} is now the login for ${quoted(visibleUrl(now.server), 200)} (account ${quoted(now.account, 80)}), and the program that asks was set up for another one. No token was sent.`,
    remedy: `Give the login that is meant another name (postern login <server> --name NAME) and set the program up for it: postern setup <program> NAME --write`,
  });
}

/** There are logins for the server, and none of that account. */
export function accountUnknown(server: string, account: string, accounts: readonly string[]): Failure {
  const shown = namedServer(server);
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(shown)} of the account ${quoted(account, 80)}; there is ${accounts
      .slice(0, 20)
      .map((one) => quoted(one, 80))
      .join(', ')}.`,
    remedy: `Name that with --account, or run: ${loginCommand({ server: shown, account })}`,
  });
}

/** Several logins fit and none was named. */
export function loginAmbiguous(server: string, accounts: readonly string[]): Failure {
  return new Failure({
    code: 'login_ambiguous',
    exit: exitCode.usage,
    message: `There are ${accounts.length} logins for ${quoted(server)}.`,
    remedy: `Name one with --account: ${accounts.map((account) => quoted(account)).join(', ')}.`,
  });
}

/** The login has run out and cannot be refreshed. */
export function loginExpired(login: LoginMeant, why: string, cause?: unknown): Failure {
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `The login for ${quoted(login.server)} can no longer be used: ${why}.`,
    remedy: `Run: ${loginCommand(login)}`,
    cause,
  });
}

/**
 * The server refuses a token that has not run out, and no other can be had without a person. Milliseconds are left of
 * it; null: nobody knows how many.
 */
export function livingTokenRefused(login: LoginMeant, leftMs: number | null): Failure {
  const left = leftMs === null ? '' : `, though it would be valid for ${Math.floor(leftMs / 1000)} s more`;
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} refused the token of this login${left}, and there is no refresh token to get another one with.`,
    remedy: `Run: ${loginCommand(login)}`,
  });
}

/** A failure that began with a refusal of the server's, with what it said then. */
export function withServerWords(error: unknown, said: string): unknown {
  if (!(error instanceof Failure) || said === '') return error;
  const { code, exit, message, remedy, trail } = error;
  return new Failure({
    code,
    exit,
    message: `${message} The server said: ${quoted(said)}`,
    remedy,
    trail,
    cause: error,
  });
}

/** A process that cannot be seen has sent the refresh token, as far as is known, and the answer never came to be stored. */
export function refreshLeftElsewhere(login: LoginMeant, since: number): Failure {
  const at = new Date(since).toISOString().replace(/\.\d+Z$/, 'Z');
  const why = `a process on another machine or in another container began to refresh it at ${at} and has not ended, and a refresh token is not sent twice`;
  return loginExpired(login, why);
}

/** What was named is written like an address, and is none of a server. */
export function loginImpossible(server: string, why: string): Failure {
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(visibleUrl(server), 200)}, and there can be none: ${why}.`,
    remedy:
      'Name a login (see: postern status), or pass the server’s full URL, such as https://example.com/mcp.',
  });
}

/** The token is good, but not for as long as was asked, and no other can be had without a person. Milliseconds. */
export function lifeTooShort(login: LoginMeant, leftMs: number, askedMs: number): Failure {
  const [left, asked] = [leftMs, askedMs].map((ms) => Math.floor(ms / 1000));
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `The token for ${quoted(login.server)} lives for ${left} s more, not for the ${asked} s that were asked for, and there is no refresh token.`,
    remedy: `Ask for less (--min-ttl ${Math.max(0, (left ?? 0) - 1)}), or run: ${loginCommand(login)}`,
  });
}

/** The server refuses a token that was just issued for it. */
export function tokenRefusedByServer(login: LoginMeant): Failure {
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} refuses the token of this login, fresh as it is.`,
    remedy: `Run: ${loginCommand(login)}`,
  });
}

/** A new token was asked for, and only a person can get one. */
export function noRefreshToken(login: LoginMeant): Failure {
  return new Failure({
    code: 'no_refresh_token',
    exit: exitCode.loginNeeded,
    message: `The login for ${quoted(login.server)} has no refresh token, so that only a new login gives another token.`,
    remedy: `Run: ${loginCommand(login)}`,
  });
}

/** The server goes on refusing tokens, however new: getting still more of them would be a storm. */
export function tokensRefusedTooOften(login: LoginMeant, most: number): Failure {
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} has refused ${most} fresh tokens of this login within a minute; no other one was asked for.`,
    remedy: `Ask its operator why; then, or in a minute, try again, or run: ${loginCommand(login)}`,
  });
}

/**
 * The token was refreshed, and the store would not take it. `sealed`: it waits in a sealed file for the next use; else
 * the refresh token that is stored may be worthless now.
 */
export function refreshNotStored(login: LoginMeant, cause: Failure, sealed: boolean): Failure {
  const what = sealed
    ? 'it was sealed into a file, and nothing is lost'
    : 'the stored refresh token may no longer be good';
  const then = sealed
    ? 'then run the command again, which moves it there'
    : `and if the next use fails, run: ${loginCommand(login)}`;
  return new Failure({
    code: 'refresh_not_stored',
    exit: exitCode.store,
    message: `The token for ${quoted(login.server)} was refreshed but could not be stored, so it was not handed out; ${what}. ${cause.message}`,
    remedy: `${cause.remedy.replace(/\.$/, '')}, ${then}`,
    cause,
    trail: cause.trail,
  });
}
