import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** A whole HTTP response as a value, so that it can be changed before it goes out. */
export interface SentResponse {
  readonly status: number;
  /** Names in lower case; a name may be repeated, which gives several header lines. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

export type Rewrite = (reply: SentResponse) => SentResponse | Promise<SentResponse>;

type HeadArguments = [
  status: number,
  message?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
  headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
];

/**
 * A response that keeps status, headers and body back until it is ended, then lets a function change
 * them. A response that is written in pieces (an event stream) leaves unchanged.
 */
export class HeldResponse extends ServerResponse<IncomingMessage> {
  #rewrite: Rewrite | undefined;

  /** Applies `rewrite` to the whole response when it is complete. */
  hold(rewrite: Rewrite): void {
    this.#rewrite = rewrite;
  }

  override writeHead(...given: HeadArguments): this {
    const [status, message, headers] = given;
    this.statusCode = status;
    if (typeof message === 'string') this.statusMessage = message;
    const fields = typeof message === 'string' ? headers : (message ?? headers);
    if (this.#rewrite === undefined) {
      return fields === undefined ? super.writeHead(status) : super.writeHead(status, fields);
    }
    for (const [name, value] of pairs(fields)) this.setHeader(name, value);
    return this;
  }

  override flushHeaders(): void {
    this.#letGo();
    super.flushHeaders();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Writable.write cannot be spelled otherwise
  override write(...given: [chunk: any, ...rest: any[]]): boolean {
    this.#letGo();
    return super.write(...(given as [unknown, BufferEncoding]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Writable.end cannot be spelled otherwise
  override end(...given: any[]): this {
    const rewrite = this.#rewrite;
    if (rewrite === undefined) return super.end(...(given as [unknown, BufferEncoding]));
    this.#rewrite = undefined;
    const [chunk, encoding] = given;
    const honest = { status: this.statusCode, headers: flat(this.getHeaders()), body: bytes(chunk, encoding) };
    Promise.resolve(honest)
      .then(rewrite)
      .then((reply) => send(this, reply))
      .catch(() => this.destroy());
    return this;
  }

  #letGo(): void {
    this.#rewrite = undefined;
  }
}

/** Sends a whole response; headers set before are dropped. */
export function send(response: ServerResponse, reply: SentResponse): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) {
    if (name !== 'content-length') response.appendHeader(name, value);
  }
  if (reply.body instanceof Uint8Array) {
    response.setHeader('content-length', reply.body.byteLength);
    response.end(reply.body);
    return;
  }
  const source = Readable.from(reply.body);
  response.once('close', () => source.destroy());
  source.once('error', () => response.destroy());
  source.pipe(response);
}

function pairs(fields: OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined): [string, string | string[]][] {
  if (fields === undefined) return [];
  if (!Array.isArray(fields)) {
    return Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)] as [string, string | string[]]],
    );
  }
  const result = new Map<string, string[]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = String(fields[at]).toLowerCase();
    result.set(name, [...(result.get(name) ?? []), String(fields[at + 1])]);
  }
  return [...result];
}

function flat(headers: OutgoingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name.toLowerCase(), String(one)] as [string, string]),
  );
}

function bytes(chunk: unknown, encoding: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk !== 'string') return new Uint8Array();
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
}

/** A JSON response that nobody keeps. */
export function jsonResponse(status: number, document: unknown, headers: SentResponse['headers'] = []): SentResponse {
  return {
    status,
    headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...headers],
    body: Buffer.from(JSON.stringify(document)),
  };
}

/** An error response of the token or registration endpoint (RFC 6749 section 5.2, RFC 7591 section 3.2.2). */
export function oauthError(status: number, error: string, description: string): SentResponse {
  return jsonResponse(status, { error, error_description: description });
}

/** A redirect that nobody keeps; the next request is a GET. */
export function redirectTo(location: string, headers: SentResponse['headers'] = []): SentResponse {
  return {
    status: 303,
    headers: [['location', location], ['cache-control', 'no-store'], ...headers],
    body: new Uint8Array(),
  };
}

/** An error of the protocol's own (JSON-RPC 2.0 section 5.1) for a request whose id is not known. */
export function rpcErrorResponse(
  status: number,
  code: number,
  message: string,
  headers: SentResponse['headers'] = [],
): SentResponse {
  return jsonResponse(status, { jsonrpc: '2.0', error: { code, message }, id: null }, headers);
}
