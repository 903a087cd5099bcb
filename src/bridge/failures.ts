import { exitCode, Failure } from '../core/failure.js';
import { quoted } from '../core/text/printable.js';
import { insufficientScope } from '../tokens/request-failures.js';

/** The server wants more scope than the login has, and no person could be asked. */
export function bridgeScopeNeeded(
  login: Parameters<typeof insufficientScope>[0],
  missing: readonly string[],
  said: string,
): Failure {
  const failure = insufficientScope(login, missing, said);
  const then = 'then try again; the bridge need not be started again:';
  return failure.withRemedy(failure.remedy.replace('then try again:', then));
}

/** The connection or the stream ended before the response. */
export function responseMissing(server: string, cause: unknown): Failure {
  return new Failure({
    code: 'answer_missing',
    exit: exitCode.callFailed,
    message: `${quoted(server)} closed the connection before its response was complete${cause instanceof Failure ? `: ${cause.message}` : '.'}`,
    remedy: 'The request may have been carried out: check before you try again.',
    cause,
  });
}
