import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginArgument, loginCommand } from '../core/login-command.js';
import type { LoginRecord } from '../core/records.js';
import { quotedServer } from '../core/resource.js';
import { unionScopes } from '../core/scope.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The token of this login may not go to that address. */
export function tokenNotForUrl(server: string, url: string): Failure {
  return new Failure({
    code: 'token_not_for_url',
    exit: exitCode.usage,
    message: `The login for ${quotedServer(server)} is not for ${quoted(url)}; no token was sent.`,
    remedy: `Log in to that address: ${loginCommand({ server: url })}`,
  });
}

/** What the failures of a missing scope have in common. @param all The scopes that a new login would ask for. */
function scopeFailure(
  code: string,
  login: LoginMeant,
  missing: readonly string[],
  detail: { exit?: ExitCode; rest: string; advice: string | undefined; all: readonly string[] },
): Failure {
  const { exit = exitCode.refused, rest, advice, all } = detail;
  return new Failure({
    code,
    exit,
    message: `${quotedServer(login.server)} needs the scope ${quoted(missing.join(' '))} for this${rest}.`,
    remedy:
      advice === undefined
        ? 'To request it after all, add --login.'
        : `${advice}: ${loginCommand(login, '--scope', shellWord(all.join(' ')))}`,
  });
}

/** A valid token lacks scope, and this command may not ask for more. */
export function insufficientScope(
  login: LoginMeant & { readonly scopes: readonly string[] },
  missing: readonly string[],
  said: string,
  then = 'then try again',
): Failure {
  return scopeFailure('insufficient_scope', login, missing, {
    exit: exitCode.loginNeeded,
    rest: `, which the login does not have${said === '' ? '' : `; it said: ${quoted(said)}`}`,
    advice: `Ask for that scope, ${then}`,
    all: unionScopes(login.scopes, missing),
  });
}

/** A login of the client's own lacks scope, and asking for more is of no use (or was, once). */
export function scopeNotForClient(server: string, missing: readonly string[], cause?: Failure): Failure {
  const why = cause === undefined ? '.' : `: ${cause.message}`.replace(/[^.]$/, '$&.');
  return new Failure({
    code: 'scope_not_for_client',
    exit: exitCode.refused,
    message: `${quotedServer(server)} needs the scope ${quoted(missing.join(' '))} for this, and the authorization server did not grant it to this client${why}`,
    remedy: 'Ask the authorization server’s operator to allow that scope to this client, or log in as a person.',
    cause,
  });
}

/** The user does not want this login to have more scope. `earlier`: a program wants it, and the user declined it before. */
export function stepUpDeclined(
  login: LoginMeant & { readonly scopes: readonly string[] },
  missing: readonly string[],
  when: 'now' | 'earlier',
): Failure {
  return scopeFailure('step_up_declined', login, missing, {
    rest: when === 'now' ? ', and you declined it' : ', and you declined it within the last hour',
    advice: when === 'now' ? undefined : 'If you want that after all, run',
    all: unionScopes(login.scopes, missing),
  });
}

/** More scope was asked for, as often as is allowed, and the server is still not content. */
export function scopeRefused(server: string, scopes: readonly string[]): Failure {
  return new Failure({
    code: 'scope_refused',
    exit: exitCode.refused,
    message: `${quotedServer(server)} still asks for the scope ${quoted(scopes.join(' '))}, though the login was asked for it.`,
    remedy: 'Ask the server’s operator who may have that scope.',
  });
}

/** A scope that was asked for and not granted: unticked by the person, or kept back by the authorization server. */
export function scopeNotGranted(login: LoginMeant, held: readonly string[], missing: readonly string[]): Failure {
  return scopeFailure('scope_not_granted', login, missing, {
    rest: '; it was asked for, but not granted',
    advice: 'To ask for it again, run',
    all: [...held, ...missing],
  });
}

/** One server after more and more scope: the person is left alone for a while. */
export function tooManyStepUps(login: LoginMeant, scopes: readonly string[]): Failure {
  return scopeFailure('too_many_step_ups', login, scopes, {
    rest: ', and asked for more too often in the last hour',
    advice: 'If you trust it with that scope, run',
    all: scopes,
  });
}

/** Refused, and its body was too large to be kept: now another token is there, which the next request has. */
export function requestNotKept(login: LoginMeant): Failure {
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quotedServer(login.server)} rejected the token of this request, whose body is too large to be kept for a second try.`,
    remedy: 'Send it again: it gets a new token.',
  });
}

/** A login is under way in the browser, and the request has waited for it long enough. */
export function loginUnderWay(server: string, seconds: number): Failure {
  return new Failure({
    code: 'login_under_way',
    exit: exitCode.loginNeeded,
    message: `A login for ${quotedServer(server)} has been waiting for you in the browser for ${seconds} seconds.`,
    remedy: 'Finish it there, then try again.',
  });
}

/** The failure that followed a refusal, with the server's words. */
export function afterRefusal(error: unknown, said: string): unknown {
  if (!(error instanceof Failure) || said === '') return error;
  return new Failure({ ...error.detail, message: `${error.message} The server said: ${quoted(said)}`, cause: error });
}

/** The server refuses a token that was just issued for it. */
export function tokenRefusedByServer(login: LoginMeant): Failure {
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quotedServer(login.server)} rejected a token issued seconds ago.`,
    remedy: `The server may expect another audience; to see what it says, run: ${loginCommand(login, '--force -v')}`,
    leads: true,
  });
}

/** The server goes on refusing tokens, however new: getting still more of them would be a storm. */
export function replacedTooOften(login: LoginMeant, max: number, isAskedAnew: boolean | undefined): Failure {
  if (isAskedAnew) {
    return new Failure({
      code: 'refreshed_too_often',
      exit: exitCode.network,
      message: `The token for ${quotedServer(login.server)} was replaced ${max} times within a minute. No further one was requested.`,
      remedy: `Try again in a minute, or take the one at hand: postern token ${loginArgument(login)}`,
    });
  }
  return new Failure({
    code: 'token_refused',
    exit: exitCode.loginNeeded,
    message: `${quotedServer(login.server)} rejected ${max} new tokens of this login within a minute. No more were requested.`,
    remedy: `Ask its operator why. Try again in a minute, or run: ${loginCommand(login)}`,
    leads: true,
  });
}

/** The token of the environment does not do, and nothing here can get another one. @param what Ends the sentence. */
export function environmentTokenOnly(code: string, server: string, what: string): Failure {
  return new Failure({
    code,
    exit: exitCode.loginNeeded,
    message: `The token in POSTERN_TOKEN for ${quotedServer(server)} ${what}.`,
    remedy: 'Set POSTERN_TOKEN to another token for that server, or unset it to use a login.',
  });
}

/** A bare token is asked for, and this login's goes with a proof for each request. */
export function tokenBound(login: LoginMeant & Pick<LoginRecord, 'schemeTaken'>, asked: string): Failure {
  const remedy =
    login.schemeTaken === 'dpop'
      ? `The proxy sends the proofs. Run: postern proxy ${loginArgument(login)}`
      : `For a Bearer token, log in without a key: ${loginCommand(login, '--no-dpop')}`;
  return new Failure({
    code: 'dpop_bound',
    exit: exitCode.usage,
    message: `The login for ${quotedServer(login.server)} is bound to a key (DPoP), and ${asked} cannot send the proofs that go with its token.`,
    remedy,
  });
}

/** A Bearer token was refused, and the challenge names DPoP alone. */
export function bindingNeeded(login: LoginMeant): Failure {
  return new Failure({
    code: 'dpop_needed',
    exit: exitCode.loginNeeded,
    message: `${quotedServer(login.server)} takes only tokens that are bound to a key (DPoP), and this login has a Bearer token.`,
    remedy: `Log in with a key: ${loginCommand(login, '--dpop')}`,
  });
}
