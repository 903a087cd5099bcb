import { exitCode, Failure, isFailure, systemCode } from '../core/failure.js';
import { printable, quoted } from '../core/text/printable.js';
import { checkNetwork, headerRefused, requestInterrupted, tooLarge } from './failures.js';

type Explanation = readonly [happened: string, remedy: string];

const tryAgain = 'Try again; if it happens again, report it to the operator of that server.';

const moreFiles = 'Raise the limit for open files (ulimit -n), then try again.';

const notHttp: Explanation = [
  'did not send valid HTTP',
  'Check the address and port, then report it to the operator of that server.',
];

/** The sentence after "host:port …", by the code of the system, of undici or of an HTTP parser. */
const explanations: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: [
    'refuses connections: nothing listens there',
    'Check that the server is running and that host and port are right.',
  ],
  ENOTFOUND: [
    'cannot be found: no address is known for this name',
    'Check the spelling of the host name, and your network or VPN.',
  ],
  EAI_AGAIN: ['cannot be looked up: the name service (DNS) does not respond', checkNetwork],
  ETIMEDOUT: ['cannot be reached: the connection timed out', checkNetwork],
  EHOSTUNREACH: ['cannot be reached: there is no route to the host', checkNetwork],
  ENETUNREACH: ['cannot be reached: there is no route to its network', checkNetwork],
  EADDRNOTAVAIL: ['cannot be reached: this machine has no address to connect from', checkNetwork],
  EACCES: ['cannot be reached: this machine forbids the connection', checkNetwork],
  EPERM: ['cannot be reached: this machine forbids the connection', checkNetwork],
  EMFILE: ['was not asked: this process may open no more files and connections', moreFiles],
  ENFILE: ['was not asked: this machine may open no more files and connections', moreFiles],
  ECONNRESET: ['broke off the connection', tryAgain],
  ECONNABORTED: ['broke off the connection', tryAgain],
  EPIPE: ['broke off the connection', tryAgain],
  UND_ERR_SOCKET: ['closed the connection before the response was complete', tryAgain],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['sent more or less data than it announced', tryAgain],
  end_unproven: [
    'closed the connection without saying how long the response is, so it may have been cut off',
    'Ask the operator of that server to send Content-Length or chunked coding (HTTP/1.1).',
  ],
  answer_cut_off: ['closed the connection before the response was complete', tryAgain],
  not_http: notHttp,
  damaged_coding: ['sent a compressed response that is damaged', tryAgain],
  unknown_coding: [
    'sent a response with an unknown Content-Encoding, such as a compression that was not asked for',
    'Report it to the operator of that server: it has to send identity, gzip or deflate.',
  ],
  unwanted_coding: ['compressed its response although that was not allowed', tryAgain],
  informational_flood: ['sent interim responses (1xx) without end', tryAgain],
};

/** Codes by their prefix. */
const families: Readonly<Record<string, Explanation>> = {
  HPE_: notHttp,
  ERR_SSL_: ['sent damaged data over TLS, and the connection was broken off', tryAgain],
};

/** What `networkFailed` tells of a connection that failed. */
export interface NetworkTrouble {
  readonly host: string;
  readonly port: number;
  /** Code of the operating system, of undici or of the HTTP parser, e.g. `ECONNREFUSED`. */
  readonly code: string;
  /** The host that was to be reached through it, where this is the HTTP proxy of the environment. */
  readonly proxyTo?: string | undefined;
}

/** The network, or the server's HTTP, failed: who, what it means, what to do. The code is kept as cause. */
export function networkFailed(trouble: NetworkTrouble): Failure {
  const family = /^(?:HPE|ERR_SSL)_/.exec(trouble.code)?.[0] ?? '';
  const known = explanations[trouble.code] ?? families[family];
  const [happened, remedy] = known ?? ['cannot be reached', checkNetwork];
  const failure = connectionFailed('network_failed', trouble, `${party(trouble)} ${happened}`, remedy);
  if (trouble.proxyTo !== undefined) return failure;
  return new Failure({ ...failure.detail, connection: { party: party(trouble), happened } });
}

/**
 * Of the cause only the code survives: a library's error text may quote what was sent or received. A proxy is named as
 * what failed: who reads "refuses connections" looks at the server first.
 */
function connectionFailed(
  code: 'network_failed' | 'tls_failed',
  { code: cause, proxyTo }: NetworkTrouble,
  happened: string,
  remedy: string,
): Failure {
  const host = proxyTo === undefined ? undefined : quoted(proxyTo, 100);
  return new Failure({
    code,
    exit: exitCode.network,
    message: `${host === undefined ? '' : `${host} was not reached: the HTTP proxy `}${happened} (${printable(cause, 60)}).`,
    remedy: host === undefined ? remedy : checkProxy(host),
    cause: Object.assign(new Error(cause), { code: cause }),
  });
}

function checkProxy(host: string): string {
  return `Check HTTPS_PROXY, or list ${host} in NO_PROXY if it can be reached without the proxy.`;
}

function party({ host, port }: NetworkTrouble): string {
  return quoted(`${host.includes(':') ? `[${host}]` : host}:${port}`, 120);
}

/** The HTTP proxy would not open a tunnel. Its credentials are never part of `proxy`. */
export function tunnelRefused(target: string, proxy: string, status: number): Failure {
  const why = status === 407 ? 'it wants other credentials' : 'it refused';
  const message = `The proxy ${quoted(proxy, 100)} opened no connection to ${quoted(target, 100)}: ${why} (${status}).`;
  return new Failure({ code: 'network_failed', exit: exitCode.network, message, remedy: checkProxy('the host') });
}

/** The same where a server named the host: a user has misspelt nothing, and cannot start what does not run there. */
export function namedByServer(error: unknown): unknown {
  if (!isFailure(error, 'network_failed') || error.detail.connection === undefined) return error;
  const code = systemCode(error.cause);
  if (code === 'EMFILE' || code === 'ENFILE') return error;
  const { party, happened } = error.detail.connection;
  return new Failure({
    ...error.detail,
    message: `The server sends logins to ${party}, which ${happened} (${printable(code, 60)}).`,
    remedy: 'Check your network or VPN; if other sites work, report it to the server’s operator.',
  });
}

const askOperator = 'Ask the operator of that server to renew or correct its certificate.';

const addAuthority =
  'If your organisation issues its own certificates, name its CA file in NODE_EXTRA_CA_CERTS; else do not trust this server.';

const tlsExplanations: Readonly<Record<string, Explanation>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is self-signed', addAuthority],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate comes from an authority that is not trusted here', addAuthority],
  UNABLE_TO_GET_ISSUER_CERT: ['the authority of its certificate is not known here', addAuthority],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the authority of its certificate is not known here', addAuthority],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the authority of its certificate is not known here', addAuthority],
  CERT_UNTRUSTED: ['its certificate is not trusted here', addAuthority],
  CERT_HAS_EXPIRED: ['its certificate has expired', askOperator],
  CERT_NOT_YET_VALID: [
    'its certificate is not valid yet',
    'Check the clock of this machine; if it is right, ask the operator of that server.',
  ],
  CERT_REVOKED: ['its certificate was revoked', askOperator],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    'Check the host name; if it is right, ask the operator of that server to correct its certificate.',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'it does not speak TLS on this port',
    'Check the port; a server on this machine may want http instead of https.',
  ],
  EPROTO: ['it does not speak TLS that this program accepts (1.2 or newer)', askOperator],
};

const tlsCode =
  /^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|ERR_(?:TLS|SSL|OSSL)_|EPROTO$)/;

/** Whether a code, as Node gives it, is one of TLS: certificate, handshake or protocol. */
function isTlsCode(code: string): boolean {
  return tlsCode.test(code);
}

/**
 * The server could not prove who it is, or speaks no TLS that is safe. There is no way around it: the
 * certificate is always checked, NODE_TLS_REJECT_UNAUTHORIZED=0 notwithstanding.
 */
function tlsFailed(trouble: NetworkTrouble & { readonly names?: string }): Failure {
  const [problem, remedy] = tlsExplanations[trouble.code] ?? ['the TLS handshake failed', askOperator];
  const names = trouble.names === undefined ? '' : ` (it names ${quoted(trouble.names, 120)})`;
  const start = trouble.proxyTo === undefined ? 'No safe connection to ' : '';
  return connectionFailed('tls_failed', trouble, `${start}${party(trouble)}: ${problem}${names}`, remedy);
}

type Party = Omit<NetworkTrouble, 'code'>;

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
