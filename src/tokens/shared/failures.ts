import { exitCode, Failure } from '../../core/failure.js';
import { type LoginMeant, loginArgument, loginCommand } from '../../core/login-command.js';
import type { LoginRecord } from '../../core/records.js';
import { quotedServer } from '../../core/resource.js';
import { printable } from '../../core/text/printable.js';

/** Another machine has sent the refresh token, as far as is known, and has written no response. */
export function refreshLeftByMachine(login: LoginMeant, by: string, since: number): Failure {
  const at = new Date(since).toISOString().replace(/\.\d+Z$/, 'Z');
  const host = printable(by.split(',')[0] ?? '', 100);
  return new Failure({
    code: 'login_expired',
    exit: exitCode.loginNeeded,
    message: `The login for ${quotedServer(login.server)} could not be refreshed: ${printable(by, 100)} sent its refresh token at ${at} and has written no response, and a refresh token works only once.`,
    remedy: `If that machine still has the response, this writes it: on ${host}, run postern token ${loginArgument(login)}; else log in again: ${loginCommand(login)}`,
  });
}

/** A machine that only reads has waited in vain. @param waitedMs Milliseconds. */
export function tokenNotRefreshed(login: LoginRecord, waitedMs: number, isRejected: boolean): Failure {
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
