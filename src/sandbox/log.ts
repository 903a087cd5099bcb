import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLog as PrintedLog } from '../core/ports.js';

/** One request as a server of the sandbox saw it. Kept in memory only: it holds tokens. */
export interface SeenRequest {
  readonly at: 'server' | 'authorization';
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Names in lower case, as Node joins them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Query parameters or, of a form body, its fields, in order. */
  readonly params: readonly (readonly [name: string, value: string])[];
  /** The body as text, at most 64 KiB; empty when there was none or it was not read. */
  readonly body: string;
  /** 0 while the response is under way. */
  readonly status: number;
}

type Draft = { -readonly [Name in keyof SeenRequest]: SeenRequest[Name] };

const kept = 10_000;

/** Called when a response has gone, or its caller has. @param ms since the request came */
export type RequestOver = (request: SeenRequest, ms: number) => void;

/** Of a login under way, or of a registered client: who has it may go on with it. */
const handle = /\/[\w-]{32,}(?=\/|$)/g;

/** Prints a line for each request that is over, where there is a log. */
export function logTo(log: PrintedLog | undefined): RequestOver | undefined {
  if (log === undefined) return undefined;
  return ({ at, method, path, headers, status }, ms) => {
    const shown = path.replace(handle, '/***');
    const what = at === 'server' ? shown : `${shown} (authorization server)`;
    const program = headers['user-agent']?.toString();
    log({ at: Date.now(), method, what, status: String(status), ms, program });
  };
}

/** The requests of both servers, oldest first; the oldest are forgotten after ten thousand. */
export class RequestLog {
  readonly #requests: Draft[] = [];
  readonly #over: RequestOver | undefined;

  constructor(over: RequestOver | undefined) {
    this.#over = over;
  }

  get requests(): readonly SeenRequest[] {
    return this.#requests;
  }

  /** Notes the request now and its status when the response has gone. */
  record(
    at: SeenRequest['at'],
    request: IncomingMessage,
    response: ServerResponse,
    params: SeenRequest['params'],
    body: string,
  ): void {
    const entry: Draft = {
      at,
      method: request.method ?? '',
      path: (request.url ?? '').split('?', 1)[0] ?? '',
      headers: request.headers,
      params,
      body,
      status: 0,
    };
    const began = performance.now();
    response.once('close', () => {
      entry.status = response.statusCode;
      this.#over?.(entry, performance.now() - began);
    });
    this.#requests.push(entry);
    if (this.#requests.length > kept) this.#requests.shift();
  }
}
