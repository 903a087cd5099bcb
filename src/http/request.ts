import type { Zone } from '../core/records.js';
import { headerRefused, methodRefused } from './failures.js';

export type Header = readonly [name: string, value: string];

export interface HttpRequest {
  readonly method: string;
  /** The raw URL, gated before it is parsed. */
  readonly url: string;
  readonly headers?: readonly Header[];
  /** Those for a second attempt, where one of them is good for one alone. */
  readonly headersAgain?: (() => readonly Header[]) | undefined;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Waited for once the connection is open, before any of the body leaves. What it throws ends the request. */
  readonly beforeBody?: () => Promise<void>;
  /** Who named this URL: the person, or a server of that zone. */
  readonly namedBy: 'person' | Zone;
  /** `same-origin`: GET only, at most 3 hops, each checked anew. `refuse`: a 3xx is a failure.
   * `report`: a 3xx is a response like any other, never followed. */
  readonly redirects: 'same-origin' | 'refuse' | 'report';
  /** Limits in milliseconds and bytes. `totalMs: null` and `maxBytes: null` are for streams. `of`: which of the limits that
   * a person can set takes the place of these. */
  readonly limits: {
    readonly of?: 'metadata' | 'token' | 'response';
    readonly totalMs: number | null;
    readonly headersMs: number;
    readonly maxBytes: number | null;
  };
  readonly signal: AbortSignal;
}

export interface HttpResponse extends AsyncDisposable {
  readonly status: number;
  /** The URL that responded, after redirects. */
  readonly url: string;
  /** In order of arrival, names in lower case, repeated names repeated. */
  readonly headers: readonly Header[];
  /** The zone of the address that was connected to (`public` through an HTTP proxy). */
  readonly zone: Zone;
  /** Decoded chunks, under `maxBytes` and the deadline. Can be read once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body. @throws Failure `too_large`, `timed_out`, `network_failed` */
  bytes(): Promise<Uint8Array>;
}

/** The one way out: every request of the program goes through here. */
export interface HttpClient extends AsyncDisposable {
  /** @throws Failure `url_refused`, `address_refused`, `redirect_refused`, `tls_failed`, `network_failed`, … */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Would a request there be let out? For an address that a browser is sent to. @throws as `send`, before it connects */
  check(target: Pick<HttpRequest, 'url' | 'namedBy' | 'signal'>): Promise<void>;
}

/** One request that has left, and the head of its response: a redirect that is followed is another one. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: string;
  /** As they were sent: names and values in turn. Their values may be secrets. */
  readonly headers: readonly string[];
  /** Milliseconds until the head of the response, or the failure. */
  readonly ms: number;
  /** Undefined: none came. */
  readonly response: { readonly status: number; readonly headers: readonly (readonly [string, string])[] } | undefined;
  readonly error: unknown;
}

/** Is told of each request as its head comes. It must not throw. */
export type Observe = (request: ObservedRequest) => void;

export interface HttpPorts {
  readonly http: HttpClient;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Field values as RFC 9110 section 5.5 has them: visible characters, blank, tab, bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names that are the connection's own business (RFC 9110 section 7.6.1) or would misdirect a request. */
const reserved = new Set([
  ...['connection', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/**
 * The headers to send, name and value in turn: the caller's, `user-agent` and `accept-encoding: identity`
 * unless the caller gives its own. Validated here, because undici's own error quotes the value.
 * @throws Failure `header_refused`, which does not hold the value
 */
export function requestHeaders(given: readonly Header[], userAgent: string): string[] {
  for (const [name, value] of given) {
    if (!token.test(name)) throw headerRefused(name, 'its name holds a character that no header name may hold');
    if (reserved.has(name.toLowerCase())) throw headerRefused(name, 'the program sets it itself, or HTTP does');
    if (!fieldValue.test(value)) throw headerRefused(name, 'its value holds a character that no header may hold');
  }
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  const defaults: readonly Header[] = [
    ['user-agent', userAgent],
    ['accept-encoding', 'identity'],
  ];
  return [...defaults.filter(([name]) => !names.has(name)), ...given].flat();
}

/** @throws Failure `method_refused` */
export function checkMethod(method: string): void {
  if (!token.test(method) || method === 'CONNECT') throw methodRefused(method);
}
