import { exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginArgument, loginCommand, runLogin, waysOfJob } from '../core/login-command.js';
import { namedServer, quotedServer, visibleUrl } from '../core/resource.js';
import { printable, quoted, shellWord } from '../core/text/printable.js';
import type { LeftRefresh } from '../stores/ports.js';

/** Only a person's login can help. @param force `--force` where the one at hand looks valid: `login` would stay with it. */
function needsLogin(code: string, login: LoginMeant, message: string, cause?: unknown, ...force: string[]): Failure {
  return new Failure({ code, exit: exitCode.loginNeeded, message, remedy: runLogin(login, ...force), cause });
}

const wholeSeconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));

/** A server argument that is neither a name nor a URL that can be used. */
export function serverUnusable(argument: string, why: string, likelyName: string | undefined): Failure {
  return new Failure({
    code: 'server_unusable',
    exit: exitCode.usage,
    message: messageOfWord(argument, why),
    remedy:
      likelyName === undefined
        ? (urlMeant(argument) ??
          (mayBeName(argument)
            ? `To log in, run: ${newLoginCommand(argument)}`
            : 'Pass the server’s full URL, such as https://example.com/mcp.'))
        : `Did you mean ${quoted(likelyName)}? Else pass the server’s full URL.`,
    typo: likelyName === undefined ? undefined : { typed: argument, meant: likelyName },
  });
}

function messageOfWord(argument: string, why: string): string {
  if (urlMeant(argument) !== undefined) {
    return `${quoted(visibleUrl(argument), 200)} is not the name of a login, and a URL needs its scheme.`;
  }
  if (mayBeName(argument)) return `No login named ${quoted(argument, 80)}.`;
  return `${quoted(visibleUrl(argument), 200)} is neither the name of a login nor a server’s URL: ${why}.`;
}

function mayBeName(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/.test(text);
}

/** How to get a login that is called so. */
function newLoginCommand(name: string): string {
  return `postern login URL${mayBeName(name) ? ` --name ${name}` : ''}`;
}

/** A host without a scheme is what people type most often. */
export function urlMeant(argument: string): string | undefined {
  const found = hostAlone.exec(argument);
  if (found === null) return undefined;
  return `Did you mean ${found[1] === undefined ? 'https' : 'http'}://${printable(argument, 200)}?`;
}

const hostAlone = /^(?:(localhost|127\.0\.0\.1|\[::1\])|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:\/[^?#\s]*)?$/i;

/** The item of this login is not what was written for it: cut, changed, or another login's. */
export function credentialCorrupt(login: LoginMeant): Failure {
  return new Failure({
    code: 'credential_corrupt',
    exit: exitCode.store,
    message: `The stored credential for ${quotedServer(login.server, 200)} is damaged, or belongs to another login. It was not used.`,
    remedy: `To replace it, run: ${loginCommand(login)}; to forget it: postern logout ${loginArgument(login)}`,
  });
}

/** The item was written by a later release, which may need what this one would lose. */
export function credentialNewer(server: string): Failure {
  return new Failure({
    code: 'credential_newer',
    exit: exitCode.store,
    message: `The stored credential for ${quotedServer(server, 200)} was written by a newer postern. It was not changed.`,
    remedy: 'Update postern, then try again.',
  });
}

/** A key made here is not in its store any more, or the item there is not that key. */
export function clientKeyGone(clientId: string, damaged: boolean): Failure {
  const client = quoted(clientId, 200);
  return new Failure({
    code: damaged ? 'credential_corrupt' : 'client_key_gone',
    exit: exitCode.store,
    message: damaged
      ? `The stored private key of the client ${client} is damaged, or is another key. It was not used.`
      : `The private key that was made for the client ${client} is no longer in its store.`,
    remedy: 'Make a new one, and register its public half in place of the old one.',
  });
}

/** A 200 whose content cannot be a token response (RFC 6749 section 5.1). */
export function tokenUnusable(issuer: string, why: string): Failure {
  return new Failure({
    code: 'token_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The token response of ${quoted(issuer)} is invalid: ${why}. Nothing was stored.`,
    remedy: 'Report it to the operator of the authorization server.',
  });
}

/** What to do where a name is close to the one that was typed. */
function meantName(typed: string, likelyName: string | undefined) {
  if (likelyName === undefined) return {};
  const remedy = `Did you mean ${quoted(likelyName)}? All logins: postern status`;
  return { remedy, typo: { typed, meant: likelyName } };
}

/** There is no login for this server. `likelyName`: the name of one that comes close. */
export function loginNeeded(meant: LoginMeant, likelyName?: string): Failure {
  const shown = namedServer(meant.server);
  const run = /^https?:/i.test(shown) ? runLogin({ ...meant, server: shown }) : `Run: ${newLoginCommand(shown)}`;
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login for ${quoted(shown)}.`,
    remedy: run,
    ...meantName(meant.server, likelyName),
  });
}

/** No login has that name. @param names Those that there are. */
export function nameUnknown(name: string, names: readonly string[], likelyName: string | undefined): Failure {
  const others = names.length > shownNames ? `, … (${names.length} in all: postern status)` : '.';
  const known = `You have: ${names.slice(0, shownNames).join(', ')}${others}`;
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `No login named ${quoted(visibleUrl(name), 80)}.`,
    remedy: names.length === 0 ? `Run: ${newLoginCommand(name)}` : known,
    ...meantName(name, likelyName),
  });
}

const shownNames = 8;

/** The entry of another program pins a login to its server and account, and the one of that name is another now. */
export function loginChanged(named: string, now: { readonly server: string; readonly account: string }): Failure {
  return new Failure({
    code: 'login_changed',
    exit: exitCode.usage,
    message: `${quoted(visibleUrl(named), 200)} is now the login for ${quoted(visibleUrl(now.server), 200)} (account ${quoted(now.account, 80)}), and the program that asks was set up for another one. No token was sent.`,
    remedy: `Give the login that is meant another name (postern login URL --name NAME) and set the program up for it: postern setup PROGRAM NAME --write`,
  });
}

/** There are logins for the server, and none of that account. */
export function accountUnknown(server: string, account: string, accounts: readonly string[]): Failure {
  const shown = namedServer(server);
  const known = accounts.slice(0, 20).map((one) => quoted(one, 80));
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `No login for ${quoted(shown)} with the account ${quoted(account, 80)}. Accounts: ${known.join(', ')}.`,
    remedy: (situation) =>
      `Name one with --account. ${waysOfJob({ server: shown }, situation) ?? `Or run: ${loginCommand({ server: shown, account })}`}`,
  });
}

/** Several logins fit and none was named. */
export function loginAmbiguous(server: string, accounts: readonly string[]): Failure {
  return new Failure({
    code: 'login_ambiguous',
    exit: exitCode.usage,
    message: `There are ${accounts.length} logins for ${quotedServer(server)}.`,
    remedy: `Name one with --account: ${accounts.map((account) => quoted(account)).join(', ')}. To have one taken from now on: postern switch ${shellWord(server)} ACCOUNT`,
  });
}

/** The login has run out and cannot be refreshed. */
export function loginExpired(login: LoginMeant, why: string, cause?: unknown): Failure {
  const message = `The login for ${quotedServer(login.server)} has ended: ${why}.`;
  return needsLogin('login_expired', login, message, cause);
}

/**
 * The server refuses a token that has not run out, and no other can be had without a person. Milliseconds are left of
 * it; null: unknown.
 */
export function livingTokenRefused(login: LoginMeant, leftMs: number | null): Failure {
  const left = leftMs === null ? '' : `, which would be valid for ${wholeSeconds(leftMs)} s more`;
  const message = `${quotedServer(login.server)} rejected the token of this login${left}, and there is no refresh token to get another.`;
  return needsLogin('login_expired', login, message, undefined, '--force');
}

/** Another process apparently sent the refresh token, and has not written the response. */
export function refreshLeft(login: LoginMeant, { by, since }: LeftRefresh): Failure {
  const at = new Date(since).toISOString().replace(/\.\d+Z$/, 'Z');
  const who = by === undefined ? 'another machine or container' : printable(by, 100);
  const host = who.split(',')[0];
  const message = `The login for ${quotedServer(login.server)} could not be refreshed: ${who} sent its refresh token at ${at} and has written no response, and a refresh token works only once.`;
  const remedy = `If that machine still has the response, this writes it: on ${host}, run postern token ${loginArgument(login)}; else log in again: ${loginCommand(login)}`;
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message,
    remedy: by === undefined ? runLogin(login) : remedy,
  });
}

/** A machine that only reads has waited in vain. @param waitedMs Milliseconds. */
export function tokenNotRefreshed(login: LoginMeant, waitedMs: number, isRejected: boolean): Failure {
  const what = isRejected ? 'was rejected by the server' : 'has ended';
  return new Failure({
    code: 'token_not_refreshed',
    exit: exitCode.store,
    message: `The token for ${quotedServer(login.server)} ${what}, this machine only reads the shared store (POSTERN_STORE_READ_ONLY), and no other machine has written a new token within ${Math.round(waitedMs / 1000)} s.`,
    remedy: `Refresh it on a machine that may: postern token ${loginArgument(login)}; a machine that may and is used all the time keeps it fresh for the others`,
  });
}

/** It has to be refreshed here, and what that takes does not open. */
export function noKeyToRefresh(login: LoginMeant): Failure {
  return new Failure({
    code: 'store_key_missing',
    exit: exitCode.store,
    message: `The token for ${quotedServer(login.server)} has to be refreshed, and POSTERN_STORE_REFRESH_KEY_FILE names no key file here: the refresh token is sealed with a key of its own.`,
    remedy:
      'Name the key file of the refreshers there; or, where this machine is only to read, set POSTERN_STORE_READ_ONLY=1.',
  });
}

/** The token is good, but not for as long as was asked, and no other can be had without a person. Milliseconds. */
export function lifeTooShort(login: LoginMeant, leftMs: number, askedMs: number): Failure {
  const left = wholeSeconds(leftMs);
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `The token for ${quotedServer(login.server)} is valid for ${left} s, not the ${wholeSeconds(askedMs)} s that were asked for, and there is no refresh token.`,
    remedy: `Ask for less (--min-ttl ${Math.max(0, left - 1)}), or run: ${loginCommand(login, '--force')}`,
  });
}

/** A new token was asked for, and only a person can get one. */
export function noRefreshToken(login: LoginMeant): Failure {
  const message = `The login for ${quotedServer(login.server)} has no refresh token; only a new login gets another token.`;
  return needsLogin('no_refresh_token', login, message, undefined, '--force');
}

/**
 * The token was refreshed, and the store would not take it. `sealed`: it waits in a sealed file for the next use; else
 * the refresh token that is stored may be worthless now.
 */
export function refreshNotStored(login: LoginMeant, cause: Failure, sealed: boolean): Failure {
  const [what, then] = sealed
    ? ['it is kept in a sealed file, and nothing is lost', 'then try again, which moves it there']
    : ['the stored refresh token may no longer work', `and if the next use fails, run: ${loginCommand(login)}`];
  return new Failure({
    code: 'refresh_not_stored',
    exit: exitCode.store,
    message: `The token for ${quotedServer(login.server)} was refreshed but could not be stored, so it was not used; ${what}. ${cause.message}`,
    remedy: (situation) => `${cause.remedyIn(situation).replace(/\.$/, '')}, ${then}`,
    cause,
  });
}

/** Too many tabs for a login that no person typed: no further one is opened. */
export function tooManyTabs(login: LoginMeant, max: number, how: 'in vain' | 'answered'): Failure {
  const what =
    how === 'in vain' ? 'in the last hour brought no login that works' : 'were opened for it in the last hour';
  return needsLogin('too_many_tabs', login, `Login paused: ${max} browser tabs ${what}.`);
}

/** The token at hand ends too soon, and a longer one was not to be had. Both lives in milliseconds. */
export function tokenTooShort(login: LoginMeant, leftMs: number, wantedMs: number): Failure {
  const message = `The token for ${quotedServer(login.server)} is valid for ${wholeSeconds(leftMs)} s, not the ${wholeSeconds(wantedMs)} s that were asked for, and no longer one could be got. Nothing was started.`;
  const remedy = `Ask for less with --min-ttl, or see why: postern token ${loginArgument(login)} --verbose`;
  return new Failure({ code: 'token_too_short', exit: exitCode.refused, message, remedy });
}

/** The server's address is for no command line, and the login has no name that could stand for it. */
export function addressSecret(url: string): Failure {
  return new Failure({
    code: 'address_secret',
    exit: exitCode.usage,
    message: `The query of ${quoted(visibleUrl(url), 200)} seems to hold a secret, and other users of this machine can read command lines.`,
    remedy: 'Give the login a name, and use that instead: postern login URL --name NAME',
  });
}
