import type { Zone } from '../core/records.js';

export interface HttpRequest {
  readonly method: string;
  /** The raw URL, gated before it is parsed. */
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Who named this URL: the person (`typed`), or a server of that zone. */
  readonly namedBy: 'person' | Zone;
  /** `same-origin`: GET only, at most 3 hops, each checked anew. `refuse`: a 3xx is a failure.
   * `report`: a 3xx is an answer like any other, never followed. */
  readonly redirects: 'same-origin' | 'refuse' | 'report';
  /** Limits in milliseconds and bytes. `totalMs: null` and `maxBytes: null` are for streams. `of`: which of the limits that
   * a person can set takes the place of these. */
  readonly limits: {
    readonly of?: 'metadata' | 'token' | 'answer';
    readonly totalMs: number | null;
    readonly headersMs: number;
    readonly maxBytes: number | null;
  };
  readonly signal: AbortSignal;
}

export interface HttpResponse extends AsyncDisposable {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** In order of arrival, names in lower case, repeated names repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
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

export interface HttpPorts {
  readonly http: HttpClient;
}
