import type { SentResponse } from '../wire/response.js';

/** Which step of the main job a request belongs to. */
export type Point =
  | 'resource-metadata'
  | 'protected'
  | 'metadata'
  | 'registration'
  | 'pushed'
  | 'authorization'
  | 'token'
  | 'revocation'
  | 'other';

/** Where everything is, so that a fault can point there, or elsewhere. */
export interface Addresses {
  readonly serverUrl: string;
  readonly serverOrigin: string;
  readonly issuer: string;
  readonly authorizationOrigin: string;
}

/** The request that a fault may spoil. */
export interface Exchange {
  readonly point: Point;
  readonly method: string;
  readonly path: string;
  /** Query parameters or form fields. */
  readonly params: ReadonlyMap<string, string>;
  /** As it came; '' where it is left unread. */
  readonly body: string;
  /** It carries an `Authorization` header. */
  readonly authorized: boolean;
  /** In which scheme, in lower case. */
  readonly scheme?: string | undefined;
  /** `X-Api-Key`, as a gateway wants it. */
  readonly apiKey?: string | undefined;
  /** Method of a request of the revisions from 2026-07-28 on, as its header says. */
  readonly newerMethod?: string | undefined;
  readonly addresses: Addresses;
}

/** One rule broken on demand. */
export interface Fault {
  readonly name: string;
  /** Rows of the attack catalogue that it plays. */
  readonly rows: readonly number[];
  /** What is done wrong, in a few words. */
  readonly what: string;
  /** The response given before the request is looked at; undefined lets it pass. */
  readonly instead?: (exchange: Exchange) => SentResponse | undefined;
  /** The honest response, changed. */
  readonly rewrite?: (exchange: Exchange, response: SentResponse) => SentResponse | Promise<SentResponse>;
}
