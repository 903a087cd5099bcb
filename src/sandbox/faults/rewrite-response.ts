import type { SentResponse } from '../wire/response.js';
import type { Exchange, Fault, Point } from './fault.js';

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
