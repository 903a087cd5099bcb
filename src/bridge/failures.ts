import { exitCode, Failure } from '../core/failure.js';
import { quotedServer } from '../core/resource.js';
import { quoted } from '../core/text/printable.js';
import { insufficientScope } from '../tokens/request-failures.js';

/** The server wants more scope than the login has, and no person could be asked. */
export function bridgeScopeNeeded(
  login: Parameters<typeof insufficientScope>[0],
  missing: readonly string[],
  said: string,
): Failure {
  return insufficientScope(login, missing, said, 'then try again; the bridge need not be started again');
}

/** The connection or the stream ended before the response. */
export function responseMissing(server: string, cause: unknown): Failure {
  return new Failure({
    code: 'answer_missing',
    exit: exitCode.callFailed,
    message: `${quotedServer(server)} closed the connection before its response was complete${cause instanceof Failure ? `: ${cause.message}` : '.'}`,
    remedy: 'The request may have been carried out: check before you try again.',
    cause,
  });
}

/** The host's input had ended, and this is how long its responses were waited for. */
export function unansweredAtEnd(server: string, waitedMs: number): Failure {
  return new Failure({
    code: 'answer_missing',
    exit: exitCode.callFailed,
    message: `${quotedServer(server)} had not answered ${waitedMs / 1000} seconds after the end of stdin.`,
    remedy: 'The request may have been carried out: check before you try again.',
  });
}

/** What one side says in its era of the protocol has no form in the other's. @param why A clause, such as `the server …` */
export function notTranslated(why: string): Failure {
  return new Failure({
    code: 'not_translated',
    exit: exitCode.callFailed,
    message: `This cannot be passed on: ${why}.`,
    remedy:
      'The program and the server speak different eras of the protocol: look for a newer release of the older one.',
  });
}

/** The host has no response to what the server needs to know. */
export function hostRefusedInput(method: string, said: unknown): Failure {
  const words = typeof said === 'string' && said !== '' ? `: ${quoted(said, 200)}` : '';
  return notTranslated(`the server asks for ${quoted(method, 80)}, and the program that uses it refused${words}`);
}
