import { exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginCommand } from '../core/login-command.js';
import { unionScopes } from '../core/scope.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The token of this login may not go to that address. */
export function tokenNotForUrl(server: string, url: string): Failure {
  return new Failure({
    code: 'token_not_for_url',
    exit: exitCode.usage,
    message: `The login for ${quoted(server)} is not for ${quoted(url)}; no token was sent.`,
    remedy: `Log in to that address: ${loginCommand({ server: url })}`,
  });
}

/** A valid token lacks scope, and this command may not ask for more. */
export function insufficientScope(
  login: LoginMeant & { readonly scopes: readonly string[] },
  missing: readonly string[],
  said: string,
): Failure {
  const scope = missing.join(' ');
  const all = shellWord(unionScopes(login.scopes, missing).join(' '));
  return new Failure({
    code: 'insufficient_scope',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} wants the scope ${quoted(scope)} for this, which the login does not have${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: `Ask for that scope, then try again: ${loginCommand(login, '--scope', all)}`,
  });
}

/** A login of the client's own lacks scope, and asking for more is of no use (or was, once). */
export function scopeNotForClient(server: string, missing: readonly string[], cause?: Failure): Failure {
  return new Failure({
    code: 'scope_not_for_client',
    exit: exitCode.refused,
    message:
      `${quoted(server)} wants the scope ${quoted(missing.join(' '))} for this, and the authorization server did not give it to this client${cause === undefined ? '' : `: ${cause.message}`}`.replace(
        /[^.]$/,
        '$&.',
      ),
    remedy: 'Ask the authorization server’s operator to allow that scope to this client, or log in as a person.',
    cause,
  });
}

/** The person does not want this login to have more scope. */
export function stepUpDeclined(
  login: LoginMeant & { readonly scopes: readonly string[] },
  missing: readonly string[],
  when: 'now' | 'earlier',
): Failure {
  const said = when === 'now' ? 'you declined to ask for it' : 'you declined to ask for it within the last hour';
  return new Failure({
    code: 'step_up_declined',
    exit: exitCode.refused,
    message: `${quoted(login.server)} wants the scope ${quoted(missing.join(' '))} for this, and ${said}.`,
    remedy: `If you want that after all, run: ${loginCommand(login, '--scope', shellWord(unionScopes(login.scopes, missing).join(' ')))}`,
  });
}

/** More scope was asked for, as often as is allowed, and the server is still not content. */
export function scopeRefused(server: string, scopes: readonly string[]): Failure {
  return new Failure({
    code: 'scope_refused',
    exit: exitCode.refused,
    message: `${quoted(server)} still refuses this for want of the scope ${quoted(scopes.join(' '))}, after all that could be asked for was.`,
    remedy: 'Ask the server’s operator who may have that scope.',
  });
}

/** A scope that was asked for and not granted: unticked by the person, or kept back by the authorization server. */
export function scopeNotGranted(login: LoginMeant, held: readonly string[], missing: readonly string[]): Failure {
  const all = [...held, ...missing].join(' ');
  return new Failure({
    code: 'scope_not_granted',
    exit: exitCode.refused,
    message: `${quoted(login.server)} wants the scope ${quoted(missing.join(' '))} for this; it was asked for, and not granted.`,
    remedy: `To ask for it again, run: ${loginCommand(login, '--scope', shellWord(all))}`,
  });
}

/** One server after more and more scope: the person is left alone for a while. */
export function tooManyStepUps(login: LoginMeant, scopes: readonly string[]): Failure {
  return new Failure({
    code: 'too_many_step_ups',
    exit: exitCode.refused,
    message: `${quoted(login.server)} wants the scope ${quoted(scopes.join(' '))} for this, and has asked for more scope again and again within the last hour; nobody was asked once more.`,
    remedy: `If you trust it with that scope, run: ${loginCommand(login, '--scope', shellWord(scopes.join(' ')))}`,
  });
}

/** Refused, and its body was too large to be kept: now another token is there, which the next request has. */
export function requestNotKept(login: LoginMeant): Failure {
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} refused the token of this request, whose body was not kept to be sent once more.`,
    remedy: 'Send it again: there is another token for it now.',
  });
}

/** A login is under way in the browser, and the request has waited for it long enough. */
export function loginUnderWay(server: string, seconds: number): Failure {
  return new Failure({
    code: 'login_under_way',
    exit: exitCode.loginNeeded,
    message: `A login for ${quoted(server)} has been waiting for you in the browser for ${seconds} seconds.`,
    remedy: 'Finish it there, then try again.',
  });
}
