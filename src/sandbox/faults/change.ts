import type { Answer } from '../wire/answer.js';
import type { Exchange, Fault, Point } from './fault.js';

export type JsonObject = Record<string, unknown>;

/** A fault that changes the JSON of every success at one point. */
export function jsonFault(
  point: Point,
  about: Pick<Fault, 'name' | 'rows' | 'what'>,
  change: (document: JsonObject, exchange: Exchange) => unknown,
): Fault {
  return successFault(point, about, (exchange, answer) => withJson(answer, change(jsonOf(answer), exchange)));
}

/** A fault that changes every success (200 or 201) at one point. */
export function successFault(
  point: Point,
  about: Pick<Fault, 'name' | 'rows' | 'what'>,
  change: (exchange: Exchange, answer: Answer) => Answer,
): Fault {
  const succeeded = (answer: Answer): boolean => answer.status === 200 || answer.status === 201;
  return {
    ...about,
    rewrite: (exchange, answer) => (exchange.point === point && succeeded(answer) ? change(exchange, answer) : answer),
  };
}

/** A fault that answers every request at one point by itself. */
export function insteadFault(
  point: Point,
  about: Pick<Fault, 'name' | 'rows' | 'what'>,
  answer: (exchange: Exchange) => Answer | undefined,
): Fault {
  return { ...about, instead: (exchange) => (exchange.point === point ? answer(exchange) : undefined) };
}

export function jsonOf(answer: Answer): JsonObject {
  return answer.body instanceof Uint8Array ? (JSON.parse(Buffer.from(answer.body).toString('utf8')) as JsonObject) : {};
}

export function withJson(answer: Answer, document: unknown): Answer {
  return { ...answer, body: Buffer.from(JSON.stringify(document)) };
}

/** JSON text as it stands, for what JSON.stringify cannot write. */
export function withText(answer: Answer, text: string): Answer {
  return { ...answer, body: Buffer.from(text) };
}

export function json(status: number, document: unknown, headers: Answer['headers'] = []): Answer {
  return {
    status,
    headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...headers],
    body: Buffer.from(JSON.stringify(document)),
  };
}

export function html(status: number, text: string): Answer {
  return { status, headers: [['content-type', 'text/html; charset=utf-8']], body: Buffer.from(text) };
}

export function redirect(status: number, location: string): Answer {
  return { status, headers: [['location', location]], body: new Uint8Array() };
}

/** Replaces one header; several values give several header lines, none removes it. */
export function withHeader(answer: Answer, name: string, ...values: readonly string[]): Answer {
  const others = answer.headers.filter(([one]) => one !== name);
  return { ...answer, headers: [...others, ...values.map((value) => [name, value] as const)] };
}

export function headerOf(answer: Answer, name: string): string | undefined {
  return answer.headers.find(([one]) => one === name)?.[1];
}
