import { exitCode, Failure, type FailureDetail } from '../core/failure.js';
import { quotedServer } from '../core/resource.js';
import type { JsonValue } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { serverRedirects } from '../http/failures.js';

/** The peer does not keep to the protocol. */
export function protocolBroken(server: string, why: string, cause?: unknown): Failure {
  return new Failure({
    code: 'protocol_broken',
    exit: exitCode.serverBreaksRules,
    message: `${quotedServer(server)} breaks the protocol: ${why}.`,
    remedy: 'Report it to the server’s operator; --verbose shows the requests.',
    cause,
  });
}

/** A success without a result, such as 202, which is for notifications. */
export const resultMissing = (server: string, status: number) =>
  protocolBroken(server, `it accepted the request but sent no result (${status})`);

/** Code `http_failed`. */
export class HttpFailed extends Failure {
  readonly status: number;

  constructor(server: string, status: number, said: string) {
    const message = `${quotedServer(server)} responded ${status}${said === '' ? '' : `; it said: ${quoted(said)}`}.`;
    super({ code: 'http_failed', exit: exitCode.callFailed, message, remedy: afterStatus(status) });
    this.status = status;
  }
}

/** An HTTP status that is no success. `said`: the server's own words. */
export function httpFailed(server: string, status: number, said = ''): HttpFailed {
  return new HttpFailed(server, status, said);
}

/** A response that is no success, to a request of the protocol. @param said The server's own words. */
export function statusFailed(
  server: string,
  { status, location }: { readonly status: number; readonly location: string | undefined },
  said: string,
): Failure {
  const isRedirect = Math.floor(status / 100) === 3;
  return isRedirect ? serverRedirects({ server }, status, location) : httpFailed(server, status, said);
}

/** A JSON-RPC error. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue | undefined;
  /** Of HTTP, where that refused the request, too. */
  readonly status?: number;
}

/** The server has answered a request with an error. Code `call_failed`. */
export class CallRefused extends Failure {
  readonly error: RpcError;

  constructor(
    method: string,
    error: RpcError,
    remedy: FailureDetail['remedy'] = 'Check the method and its arguments.',
  ) {
    const message = `The server refused ${quoted(method)} (${error.code}): ${quoted(error.message)}`;
    super({ code: 'call_failed', exit: exitCode.callFailed, message, remedy });
    this.error = error;
  }

  get status(): number | undefined {
    return this.error.status;
  }
}

/** A server that speaks no revision of the protocol that is known here. @param theirs As it named them. */
export function noCommonRevision(server: string, theirs: readonly string[], ours: readonly string[]): Failure {
  return new Failure({
    code: 'revision_unknown',
    exit: exitCode.serverBreaksRules,
    message: `${quotedServer(server)} speaks ${theirs.length === 0 ? 'no revision of the protocol that it names' : `the protocol of ${theirs.map((one) => quoted(one, 40)).join(', ')} only`}; this program speaks ${ours.join(' and ')}.`,
    remedy: 'Look for a newer release of postern, or ask the server’s operator.',
  });
}

function afterStatus(status: number): string {
  if (status === 421) return 'It does not serve this host name. Use the one that its operator gives.';
  if (status === 404) return 'Check the address and its path.';
  if (status === 403) return 'This login may not do that. Ask the server’s operator for access.';
  if (status >= 500 || status === 429 || status === 408) return 'Try again later, or ask the server’s operator.';
  return 'The server rejects this request. Ask its operator why.';
}

/** The server forgot the session and another one cannot be opened in its place. */
export function sessionLost(server: string, why: string): Failure {
  return new Failure({
    code: 'session_lost',
    exit: exitCode.callFailed,
    message: `${quotedServer(server)} has forgotten the session, and ${why}.`,
    remedy: 'Reconnect in the program that uses this bridge, or try again.',
  });
}

/** A server that is a program has ended, or closed its output. `how`: `exit code 1`, `SIGTERM`. */
export function serverEnded(server: string, how: string): Failure {
  return new Failure({
    code: 'server_ended',
    exit: exitCode.callFailed,
    message: `The server ${quotedServer(server, 200)} ended (${how}).`,
    remedy: 'What it printed is above; run it alone to see more.',
  });
}
