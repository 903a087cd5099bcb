import { exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginArgument, loginCommand } from '../core/login-command.js';
import { namedServer, visibleUrl } from '../core/resource.js';
import { printable, quoted } from '../core/text/printable.js';

/** Only a person's login can help. */
function needsLogin(code: string, login: LoginMeant, message: string, cause?: unknown): Failure {
  return new Failure({ code, exit: exitCode.loginNeeded, message, remedy: `Run: ${loginCommand(login)}`, cause });
}

const wholeSeconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));

/** A server argument that is neither a name nor a URL that can be used. */
export function serverUnusable(argument: string, why: string, likelyName: string | undefined): Failure {
  return new Failure({
    code: 'server_unusable',
    exit: exitCode.usage,
    message: `${quoted(visibleUrl(argument), 200)} is neither the name of a login nor a usable server address: ${why}.`,
    remedy:
      likelyName === undefined
        ? 'Pass the server’s full URL, such as https://example.com/mcp.'
        : `Did you mean ${quoted(likelyName)}? Else pass the server’s full URL.`,
  });
}

/** The item of this login is not what was written for it: cut, changed, or another login's. */
export function credentialCorrupt(login: LoginMeant): Failure {
  return new Failure({
    code: 'credential_corrupt',
    exit: exitCode.store,
    message: `The stored credential for ${quoted(login.server, 200)} is damaged or belongs to another login; it was left as it is and not used.`,
    remedy: `To replace it, run: ${loginCommand(login)}; to forget it: postern logout ${loginArgument(login)}`,
  });
}

/** The item was written by a later release, which may need what this one would lose. */
export function credentialNewer(server: string): Failure {
  return new Failure({
    code: 'credential_newer',
    exit: exitCode.store,
    message: `The stored credential for ${quoted(server, 200)} was written by a newer postern; it was left as it is.`,
    remedy: 'Update postern to the newest release, then run the command again.',
  });
}

/** A key made here is not in its store any more, or the item there is not that key. */
export function clientKeyGone(clientId: string, damaged: boolean): Failure {
  const client = quoted(clientId, 200);
  return new Failure({
    code: damaged ? 'credential_corrupt' : 'client_key_gone',
    exit: exitCode.store,
    message: damaged
      ? `The stored private key of the client ${client} is damaged or another one; it was left as it is and not used.`
      : `The private key that was made for the client ${client} is no longer in its store.`,
    remedy: 'Make a new one, and give its public half to the authorization server in place of the old one.',
  });
}

/** A 200 whose content cannot be a token response (RFC 6749 section 5.1). */
export function tokenUnusable(issuer: string, why: string): Failure {
  return new Failure({
    code: 'token_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The token endpoint of ${quoted(issuer)} gave an answer that cannot be used: ${why}. Nothing was stored.`,
    remedy: 'Report this to the authorization server’s operator.',
  });
}

/** There is no login for this server. `likelyName`: the name of one that comes close. */
export function loginNeeded(meant: LoginMeant, likelyName?: string): Failure {
  const shown = namedServer(meant.server);
  const named = /^[a-z0-9][a-z0-9._-]{0,62}$/.test(shown) ? ` --name ${shown}` : '';
  const command = /^https?:/i.test(shown)
    ? loginCommand({ ...meant, server: shown })
    : `postern login <the server’s URL>${named}`;
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(shown)}.`,
    remedy:
      likelyName === undefined ? `Run: ${command}` : `Did you mean ${quoted(likelyName)}? All logins: postern status`,
  });
}

/** The entry of another program pins a login to its server and account, and the one of that name is another now. */
export function loginChanged(named: string, now: { readonly server: string; readonly account: string }): Failure {
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
  const known = accounts.slice(0, 20).map((one) => quoted(one, 80));
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(shown)} of the account ${quoted(account, 80)}; there is ${known.join(', ')}.`,
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
  const message = `The login for ${quoted(login.server)} can no longer be used: ${why}.`;
  return needsLogin('login_expired', login, message, cause);
}

/**
 * The server refuses a token that has not run out, and no other can be had without a person. Milliseconds are left of
 * it; null: unknown.
 */
export function livingTokenRefused(login: LoginMeant, leftMs: number | null): Failure {
  const left = leftMs === null ? '' : `, though it would be valid for ${wholeSeconds(leftMs)} s more`;
  const message = `${quoted(login.server)} refused the token of this login${left}, and there is no refresh token to get another one with.`;
  return needsLogin('login_expired', login, message);
}

/** A failure that began with a refusal of the server's, with what it said then. */
export function withServerWords(error: unknown, said: string): unknown {
  if (!(error instanceof Failure) || said === '') return error;
  const { code, exit, message, remedy } = error;
  return new Failure({ code, exit, message: `${message} The server said: ${quoted(said)}`, remedy, cause: error });
}

/** A process elsewhere has sent the refresh token, as far as is known, and has stored no response. */
export function refreshLeftElsewhere(login: LoginMeant, since: number): Failure {
  const at = new Date(since).toISOString().replace(/\.\d+Z$/, 'Z');
  return loginExpired(
    login,
    `a process on another machine or in another container began to refresh it at ${at} and has not ended, and a refresh token is not sent twice`,
  );
}

/** What was named is written like an address, and is none of a server. */
export function loginImpossible(server: string, why: string): Failure {
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(visibleUrl(server), 200)}, and there can be none: ${why}.`,
    remedy: 'Name a login (see: postern status), or pass the server’s full URL, such as https://example.com/mcp.',
  });
}

/** The token is good, but not for as long as was asked, and no other can be had without a person. Milliseconds. */
export function lifeTooShort(login: LoginMeant, leftMs: number, askedMs: number): Failure {
  const left = wholeSeconds(leftMs);
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `The token for ${quoted(login.server)} lives for ${left} s more, not for the ${wholeSeconds(askedMs)} s that were asked for, and there is no refresh token.`,
    remedy: `Ask for less (--min-ttl ${Math.max(0, left - 1)}), or run: ${loginCommand(login)}`,
  });
}

/** The server refuses a token that was just issued for it. */
export function tokenRefusedByServer(login: LoginMeant): Failure {
  const message = `${quoted(login.server)} refuses the token of this login, fresh as it is.`;
  return needsLogin('token_refused', login, message);
}

/** A new token was asked for, and only a person can get one. */
export function noRefreshToken(login: LoginMeant): Failure {
  const message = `The login for ${quoted(login.server)} has no refresh token, so that only a new login gives another token.`;
  return needsLogin('no_refresh_token', login, message);
}

/** The server goes on refusing tokens, however new: getting still more of them would be a storm. */
export function tokensRefusedTooOften(login: LoginMeant, max: number): Failure {
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} has refused ${max} fresh tokens of this login within a minute; no other one was asked for.`,
    remedy: `Ask its operator why; then, or in a minute, try again, or run: ${loginCommand(login)}`,
  });
}

/**
 * The token was refreshed, and the store would not take it. `sealed`: it waits in a sealed file for the next use; else
 * the refresh token that is stored may be worthless now.
 */
export function refreshNotStored(login: LoginMeant, cause: Failure, sealed: boolean): Failure {
  const [what, then] = sealed
    ? ['it was sealed into a file, and nothing is lost', 'then run the command again, which moves it there']
    : ['the stored refresh token may no longer be good', `and if the next use fails, run: ${loginCommand(login)}`];
  return new Failure({
    code: 'refresh_not_stored',
    exit: exitCode.store,
    message: `The token for ${quoted(login.server)} was refreshed but could not be stored, so it was not handed out; ${what}. ${cause.message}`,
    remedy: `${cause.remedy.replace(/\.$/, '')}, ${then}`,
    cause,
  });
}

/** Too many tabs for a login that no person typed: no further one is opened. */
export function tooManyTabs(login: LoginMeant, max: number, how: 'in vain' | 'answered'): Failure {
  const what =
    how === 'in vain' ? 'in the last hour brought no login that works' : 'were opened for it in the last hour';
  return needsLogin('too_many_tabs', login, `Login paused: ${max} browser tabs ${what}.`);
}

/** The process that refreshes ended without saying how. */
export function refreshProcessFailed(login: LoginMeant, how: string): Failure {
  return new Failure({
    code: 'renewal_failed',
    exit: exitCode.fault,
    message: `The token for ${quoted(login.server, 200)} could not be renewed: the process that does it ${printable(how, 100)}.`,
    remedy: `See what it says: postern token ${loginArgument(login)} --verbose`,
  });
}

/** The token at hand ends too soon, and a longer one was not to be had. Both lives in milliseconds. */
export function tokenTooShort(login: LoginMeant, leftMs: number, wantedMs: number): Failure {
  return new Failure({
    code: 'token_too_short',
    exit: exitCode.refused,
    message: `The token for ${quoted(login.server)} lives ${wholeSeconds(leftMs)} more seconds, not the ${wholeSeconds(wantedMs)} that are wanted, and a longer one was not to be had. Nothing was started.`,
    remedy: `Ask for less with --min-ttl, or see why: postern token ${loginArgument(login)} --verbose`,
  });
}

/** The server's address is for no command line, and the login has no name that could stand for it. */
export function addressSecret(url: string): Failure {
  return new Failure({
    code: 'address_secret',
    exit: exitCode.usage,
    message: `The query of ${quoted(visibleUrl(url), 200)} seems to hold a secret, which is for no command line: other users of this machine could read it there.`,
    remedy: 'Give the login a short name, which then stands for the address: postern login <server> --name NAME',
  });
}
