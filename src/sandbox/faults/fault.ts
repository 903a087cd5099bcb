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

/** A fault that changes the JSON of every success at one point. */
export function jsonFault(
  point: Point,
  about: Pick<Fault, 'name' | 'rows' | 'what'>,
  change: (document: JsonObject, exchange: Exchange) => unknown,
): Fault {
  return successFault(point, about, (exchange, response) => withJson(response, change(jsonOf(response), exchange)));
}

/** A fault that changes every success (200 or 201) at one point. */
export function successFault(
  point: Point,
  about: Pick<Fault, 'name' | 'rows' | 'what'>,
  change: (exchange: Exchange, reply: SentResponse) => SentResponse,
): Fault {
  const succeeded = (reply: SentResponse): boolean => reply.status === 200 || reply.status === 201;
  return {
    ...about,
    rewrite: (exchange, reply) => (exchange.point === point && succeeded(reply) ? change(exchange, reply) : reply),
  };
}

/** A fault that answers every request at one point by itself. */
export function insteadFault(
  point: Point,
  about: Pick<Fault, 'name' | 'rows' | 'what'>,
  reply: (exchange: Exchange) => SentResponse | undefined,
): Fault {
  return { ...about, instead: (exchange) => (exchange.point === point ? reply(exchange) : undefined) };
}

export function jsonOf(reply: SentResponse): JsonObject {
  return reply.body instanceof Uint8Array ? (JSON.parse(Buffer.from(reply.body).toString('utf8')) as JsonObject) : {};
}

export function withJson(reply: SentResponse, document: unknown): SentResponse {
  return { ...reply, body: Buffer.from(JSON.stringify(document)) };
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
