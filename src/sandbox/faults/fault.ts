import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
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

export type JsonObject = Record<string, unknown>;

type Rows = readonly number[];

type Change = (exchange: Exchange, reply: SentResponse) => SentResponse | Promise<SentResponse>;

/** A fault that changes the responses that fit. */
export function rewriteFault(
  name: string,
  rows: Rows,
  what: string,
  fits: (exchange: Exchange, reply: SentResponse) => boolean,
  change: Change,
): Fault {
  return {
    ...{ name, rows, what },
    rewrite: (exchange, reply) => (fits(exchange, reply) ? change(exchange, reply) : reply),
  };
}

/** The kinds of faults at one point. */
export function faultsAt(point: Point) {
  /** Changes every success. */
  const success = (name: string, rows: Rows, what: string, change: Change): Fault =>
    rewriteFault(
      ...([name, rows, what] as const),
      (exchange, { status }) => exchange.point === point && (status === 200 || status === 201),
      change,
    );
  /** Changes members of the JSON of every success; `undefined` leaves one out. */
  const patch = (
    name: string,
    rows: Rows,
    what: string,
    members: (document: JsonObject, exchange: Exchange) => JsonObject,
  ): Fault => success(name, rows, what, (exchange, reply) => patched(reply, (json) => members(json, exchange)));
  /** Answers requests by itself. */
  const instead = (
    name: string,
    rows: Rows,
    what: string,
    reply: (exchange: Exchange) => SentResponse | undefined,
  ): Fault => ({
    ...{ name, rows, what },
    instead: (exchange) => (exchange.point === point ? reply(exchange) : undefined),
  });
  return { success, patch, instead };
}

/** Other members in a JSON response. */
export function patched(reply: SentResponse, members: (document: JsonObject) => JsonObject): SentResponse {
  const document = jsonOf(reply);
  return withJson(reply, { ...document, ...members(document) });
}

export function textOf({ body }: SentResponse): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '';
}

export function jsonOf(reply: SentResponse): JsonObject {
  return JSON.parse(textOf(reply) || '{}') as JsonObject;
}

export function withJson(reply: SentResponse, document: unknown): SentResponse {
  return { ...reply, body: Buffer.from(JSON.stringify(document)) };
}

/** A JWT with other claims: a client that looks at it does not send it, so its signature does not matter. */
export function reclaimed(token: string, change: (claims: JsonObject) => JsonObject, header?: JsonObject): string {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const encoded = (part: JsonObject) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}') as JsonObject;
  const parts = [header === undefined ? head : encoded(header), encoded({ ...claims, ...change(claims) })];
  return [...parts, header?.['alg'] === 'none' ? '' : signature].join('.');
}

/** JSON text as it stands, for what JSON.stringify cannot write. */
export function withText(reply: SentResponse, text: string): SentResponse {
  return { ...reply, body: Buffer.from(text) };
}

export function html(status: number, text: string): SentResponse {
  return { status, headers: [['content-type', 'text/html; charset=utf-8']], body: Buffer.from(text) };
}

export function redirect(status: number, location: string): SentResponse {
  return { status, headers: [['location', location]], body: new Uint8Array() };
}

/** Replaces one header; several values give several header lines, none removes it. */
export function withHeader(reply: SentResponse, name: string, ...values: readonly string[]): SentResponse {
  const others = reply.headers.filter(([one]) => one !== name);
  return { ...reply, headers: [...others, ...values.map((value) => [name, value] as const)] };
}

export function headerOf(reply: SentResponse, name: string): string | undefined {
  return reply.headers.find(([one]) => one === name)?.[1];
}

const megabyte = 1_048_576;

/** JSON of 50 MB that nothing but its size is wrong with. */
export function hugeJson(): SentResponse {
  return streamedJson(pieces('{"padding":"', Buffer.alloc(megabyte, 0x61), 50, '"}'));
}

/** 50 KB of gzip that unpack to 50 MB, whatever encodings the client said it takes. */
export function gzipBomb(): SentResponse {
  const response = streamedJson(pieces('', gzipSync(Buffer.alloc(megabyte, 0x20)), 50, ''));
  return { ...response, headers: [...response.headers, ['content-encoding', 'gzip']] };
}

/** A byte four times a second, for ten minutes: no idle time-out ever ends it. */
export function slowJson(): SentResponse {
  return streamedJson(drops());
}

function streamedJson(body: AsyncIterable<Uint8Array>): SentResponse {
  return { status: 200, headers: [['content-type', 'application/json']], body };
}

async function* pieces(before: string, piece: Buffer, times: number, after: string): AsyncGenerator<Uint8Array> {
  if (before !== '') yield Buffer.from(before);
  for (let count = 0; count < times; count += 1) yield piece;
  if (after !== '') yield Buffer.from(after);
}

async function* drops(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 2400; count += 1) {
    yield Buffer.from(' ');
    await sleep(250, undefined, { ref: false });
  }
}
