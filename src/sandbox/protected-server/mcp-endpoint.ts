import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  type McpServer,
} from '@modelcontextprotocol/server';
import { EventByteReader } from '../../core/text/event-stream.js';
import { rpcErrorResponse, type SentResponse } from '../wire/response.js';
import { Sessions } from './sessions.js';
import { authInfoOf, type Caller } from './verify-token.js';

/** One request that has passed the gate. */
export interface AdmittedRequest {
  /** Without body and credentials. */
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body?: unknown;
  readonly caller: Caller;
}

/**
 * Streamable HTTP at one address: sessions for the revisions up to 2025-11-25, and the revision of 2026-07-28,
 * which has none. A lone request (no session, no `initialize` before it) is answered, too, as servers without sessions do.
 */
export class McpEndpoint {
  readonly #sessions: Sessions;
  readonly #sessionless: ReturnType<typeof createMcpHandler>;
  readonly #metadata: string | undefined;
  readonly #eras: 'both' | 'newer' | 'older';

  /** @param metadata Address of the protected resource metadata, for the challenges of tools. */
  constructor(build: () => McpServer, metadata: string | undefined, eras: 'both' | 'newer' | 'older') {
    this.#eras = eras;
    this.#sessions = new Sessions(build);
    this.#sessionless = createMcpHandler(build, { legacy: eras === 'newer' ? 'reject' : 'stateless' });
    this.#metadata = metadata;
  }

  /** How many sessions are open. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  async reply(admitted: AdmittedRequest): Promise<SentResponse> {
    const { request, body, caller } = admitted;
    const options = {
      authInfo: authInfoOf(caller, this.#metadata),
      ...(body === undefined ? {} : { parsedBody: body }),
    };
    const isNewer = !(await isLegacyRequest(request, body));
    if (isNewer && this.#eras === 'older') return rpcErrorResponse(400, -32000, 'Begin with initialize');
    const id = request.headers.get('mcp-session-id');
    if (isNewer || this.#eras === 'newer' || (id === null && isLone(body))) {
      const sent = isNewer ? request : acceptingBoth(request);
      return responseOf(await this.#sessionless.fetch(sent, options), request.signal);
    }
    const transport = id === null ? await this.#begin(body, caller) : this.#sessions.find(id, caller);
    if (transport === undefined) {
      return id === null
        ? rpcErrorResponse(400, -32000, 'Mcp-Session-Id is missing: begin with initialize')
        : rpcErrorResponse(404, -32001, 'Session not found');
    }
    const response = await transport.handleRequest(request, options);
    return request.method === 'GET' ? streamOf(response, request.signal) : responseOf(response, request.signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#sessionless.close()]);
  }

  async #begin(body: unknown, caller: Caller) {
    return isInitializeRequest(body) ? this.#sessions.begin(caller) : undefined;
  }
}

function isLone(body: unknown): boolean {
  return isJSONRPCRequest(body) && !isInitializeRequest(body);
}

/** Who takes anything, as curl does, takes both forms of a response (RFC 9110 section 12.5.1). */
function acceptingBoth(request: Request): Request {
  const accept = request.headers.get('accept');
  if (accept !== null && accept !== '*/*') return request;
  const headers = new Headers(request.headers);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** Of a response of the SDK, in bytes. */
const largestEvent = 32 * 1024 * 1024;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * The response of the SDK as one of ours. An event stream that turns out to hold one response and nothing
 * else becomes plain JSON: both forms are right, and clients must be ready for both (Streamable HTTP).
 */
async function responseOf(response: Response, signal: AbortSignal): Promise<SentResponse> {
  const { status } = response;
  const headers = [...response.headers];
  if (response.body === null || !isEventStream(response)) {
    return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  }
  const reader: Reader = response.body.getReader();
  // Whoever is gone needs no more: the SDK hears of it at once, not with its next event.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const { chunks, lone } = await firstOf(reader);
  if (lone === undefined) return { status, headers, body: streamed(chunks, reader) };
  const others = headers.filter(([name]) => name !== 'content-type' && name !== 'connection');
  return { status, headers: [...others, ['content-type', 'application/json']], body: Buffer.from(lone) };
}

/** The response to a GET: an event stream from its first byte on, even while there is nothing to tell. */
function streamOf(response: Response, signal: AbortSignal): Promise<SentResponse> | SentResponse {
  if (response.body === null || !isEventStream(response)) return responseOf(response, signal);
  const reader: Reader = response.body.getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  return { status: response.status, headers: [...response.headers], body: streamed([], reader) };
}

function isEventStream(response: Response): boolean {
  return (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/** Reads until it is clear which form fits: `lone` is the only message of a stream that ended with it. */
async function firstOf(reader: Reader): Promise<{ chunks: readonly Uint8Array[]; lone?: string }> {
  const events = new EventByteReader(largestEvent);
  const chunks: Uint8Array[] = [];
  const messages: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    const [lone, ...others] = messages;
    if (done) return lone === undefined || others.length > 0 ? { chunks } : { chunks, lone };
    chunks.push(value);
    const found = events.push(value) ?? [];
    messages.push(...found.map(({ data }) => new TextDecoder().decode(data)).filter((data) => data !== ''));
    // A sign of life, a request or a notification: the caller should hear of it now.
    if (found.length === 0 || messages.some((message) => 'method' in JSON.parse(message))) return { chunks };
  }
}

async function* streamed(chunks: readonly Uint8Array[], reader: Reader): AsyncGenerator<Uint8Array> {
  yield* chunks;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
