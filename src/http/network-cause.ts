import { Failure } from '../core/failure.js';
import {
  headerRefused,
  isTlsCode,
  type NetworkTrouble,
  networkFailed,
  requestInterrupted,
  tlsFailed,
  tooLarge,
} from './failures.js';

/**
 * Carries an error of connecting past undici, which tries again without end when an error of that
 * phase has one of its own codes. `cause` is what happened.
 */
export class ConnectError extends Error {
  readonly code = 'CONNECT_FAILED';

  constructor(cause: unknown) {
    super('connecting failed', { cause });
    this.name = 'ConnectError';
  }
}

/** The code of an error of Node or undici; of several attempts to connect, the first attempt's. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = field(error, 'code');
  if (typeof code === 'string') return code;
  // undici gives its parser's errors no code of their own.
  return error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
}

/**
 * What a person is told about an error of the network stack. A `Failure`, or an abort's reason, is
 * handed on as it is. The library's own text is dropped: it may quote a header or a body.
 */
export function failureOf(error: unknown, target: Omit<NetworkTrouble, 'code'>): unknown {
  if (error instanceof ConnectError) return failureOf(error.cause, target);
  if (error instanceof Failure) return error;
  const code = codeOf(error) ?? 'unknown';
  if (isTlsCode(code)) return tlsFailed({ ...target, code, ...certificateNames(error) });
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return tooLarge(target.host, 'more than 16 KiB of headers');
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') {
    return headerRefused('content-length', 'it is not the length of the body');
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED' || code === 'UND_ERR_ABORTED') {
    return requestInterrupted(target.host);
  }
  return networkFailed({ ...target, code });
}

/** What a person is told about an error of a connection that was open: TLS that breaks there is no failed handshake. */
export function brokenConnection(error: unknown, target: { readonly host: string; readonly port: number }): unknown {
  const code = error instanceof Failure ? undefined : codeOf(error);
  // An alert is the server's own word, such as its no to a client certificate after the handshake of TLS 1.3.
  const isBroken = code !== undefined && /^ERR_SSL_/.test(code) && !code.includes('_ALERT_');
  return isBroken ? networkFailed({ ...target, code }) : failureOf(error, target);
}

/** Whether an idle connection may simply have been closed by the other side. */
export function isBrokenOff(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '');
}

function certificateNames(error: unknown): { readonly names?: string } {
  const names = field(field(error, 'cert'), 'subjectaltname');
  return typeof names === 'string' ? { names } : {};
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
