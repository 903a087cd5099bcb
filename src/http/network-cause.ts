import { Failure, isFailure } from '../core/failure.js';
import {
  headerRefused,
  isTlsCode,
  type NetworkTrouble,
  networkFailed,
  requestInterrupted,
  tlsFailed,
  tooLarge,
} from './failures.js';

type Party = Omit<NetworkTrouble, 'code'>;

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
 * The failure for an error of the network stack. A `Failure` stays as it is. The library's own text is dropped: it may
 * quote a header or a body.
 */
export function failureOf(error: unknown, party: Party): Failure {
  if (error instanceof ConnectError) return failureOf(error.cause, party);
  if (error instanceof Failure) return error;
  const code = codeOf(error) ?? 'unknown';
  if (isTlsCode(code)) {
    const names = field(field(error, 'cert'), 'subjectaltname');
    return tlsFailed({ ...party, code, ...(typeof names === 'string' ? { names } : {}) });
  }
  switch (code) {
    case 'UND_ERR_HEADERS_OVERFLOW':
    case 'HPE_HEADER_OVERFLOW':
      return tooLarge(party.host, 'more than 16 KiB of headers');
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
      return headerRefused('content-length', 'it is not the length of the body');
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_ABORTED':
      return requestInterrupted(party.host);
    default:
      return networkFailed({ ...party, code });
  }
}

/** The failure for an error of an open connection: TLS that breaks there is no failed handshake. */
export function brokenConnection(error: unknown, party: Party): Failure {
  const code = codeOf(error) ?? '';
  // An alert comes from the server, such as its refusal of a client certificate after the handshake of TLS 1.3.
  const isBroken = code.startsWith('ERR_SSL_') && !code.includes('_ALERT_');
  return isBroken ? networkFailed({ ...party, code }) : failureOf(error, party);
}

/** Whether an open connection ended before its response was complete. */
export function endedEarly(error: unknown): boolean {
  return isFailure(error, 'network_failed') && (isBrokenOff(error.cause) || codeOf(error.cause) === 'answer_cut_off');
}

/** Whether an idle connection may simply have been closed by the other side. */
export function isBrokenOff(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '');
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
