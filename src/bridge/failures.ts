import { exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginCommand } from '../core/login-command.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The server wants more scope than the login has, and no person could be asked. */
export function bridgeScopeNeeded(login: LoginMeant, wanted: readonly string[], said: string): Failure {
  return new Failure({
    code: 'insufficient_scope',
    exit: exitCode.loginNeeded,
    message: `${quoted(login.server)} wants the scope ${quoted(wanted.join(' '))} for this, which the login does not have${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: `Ask for that scope, then try again; the bridge need not be started again: ${loginCommand(login, '--scope', shellWord(wanted.join(' ')))}`,
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

/** The server forgot the session and another one cannot be opened in its place. */
export function sessionLost(server: string, why: string): Failure {
  return new Failure({
    code: 'session_lost',
    exit: exitCode.callFailed,
    message: `${quoted(server)} has forgotten the session, and ${why}.`,
    remedy: 'Start the connection again in the program that uses this bridge.',
  });
}

/** The connection or the stream ended before the answer. */
export function answerMissing(server: string, cause: unknown): Failure {
  return new Failure({
    code: 'answer_missing',
    exit: exitCode.callFailed,
    message: `${quoted(server)} ended its answer before it was complete${cause instanceof Failure ? `: ${cause.message}` : '.'}`,
    remedy: 'It is not known whether the request was carried out: look before you try again.',
    cause,
  });
}
