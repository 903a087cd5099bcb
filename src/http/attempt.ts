import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import { patientTimer } from './deadline.js';
import { Exchange, type Head } from './exchange.js';
import { timedOut } from './failures.js';
import type { Origin } from './origin.js';
import type { ConnectionPool, PooledConnection } from './pool.js';
import type { HttpRequest } from './request.js';

const maxHeaderBytes = 16 * 1024;

/** One connection to an origin: a client of undici that connects once. */
export class ClientConnection implements PooledConnection {
  readonly #client: Client;
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #requests = 0;

  /** @param gone Called when the connection is closed */
  constructor(
    client: typeof Client,
    origin: Origin,
    connect: (signal: AbortSignal) => Promise<Socket>,
    gone: (connection: ClientConnection) => void,
  ) {
    this.#client = new client(origin.url, {
      connect: (_, callback) => {
        connect(this.#closing.signal).then(
          (socket) => {
            this.#socket = socket;
            callback(null, socket);
          },
          (error) => callback(error, null),
        );
      },
      maxHeaderSize: maxHeaderBytes,
      // Our own limits cover the whole of a request.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
    this.#client.on('disconnect', () => gone(this));
  }

  /** Whether an earlier request already went through this connection. */
  get reused(): boolean {
    return this.#requests > 1;
  }

  get usable(): boolean {
    return this.#socket?.destroyed === false && !this.#client.destroyed;
  }

  dispatch(request: Omit<Dispatcher.DispatchOptions, 'origin'>, handler: Dispatcher.DispatchHandler): void {
    this.#requests += 1;
    this.#client.dispatch(request, handler);
  }

  /** Ends the connection at once, and with it the request that uses it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#client.destroy(new Error('The connection was closed here.'));
  }
}

/** One request to one URL, ready to be written to a connection. */
interface Prepared {
  readonly request: HttpRequest;
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly headersAgain: (() => string[]) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and waits for the head of the response. A GET or HEAD that went out on a kept-alive connection just as
 * the server closed it is sent once more, because no byte of a response came (RFC 9110 section 9.2.2); nothing else is
 * ever sent twice.
 * @throws Failure `network_failed`, `tls_failed`, `timed_out`, `too_large`; the signal's reason
 */
export async function attempt(
  pool: ConnectionPool<ClientConnection>,
  prepared: Prepared,
): Promise<{ readonly exchange: Exchange; readonly head: Head }> {
  const { method } = prepared.request;
  const { exchange, reused } = await dispatch(pool, prepared);
  try {
    return { exchange, head: await exchange.head };
  } catch (error) {
    if ((method !== 'GET' && method !== 'HEAD') || !reused || !exchange.endedUnanswered) throw error;
  }
  const second = await dispatch(pool, { ...prepared, headers: prepared.headersAgain?.() ?? prepared.headers });
  return { exchange: second.exchange, head: await second.exchange.head };
}

async function dispatch(
  pool: ConnectionPool<ClientConnection>,
  { request, url, headers, signal }: Prepared,
): Promise<{ readonly exchange: Exchange; readonly reused: boolean }> {
  const { method, limits } = request;
  const connection = await pool.borrow(limits.totalMs === null ? 'stream' : 'bounded', signal);
  const exchange = new Exchange(pool.origin, method, (complete) => {
    timer.stop();
    signal.removeEventListener('abort', abort);
    if (!complete) void connection[Symbol.asyncDispose]();
    pool.release(connection);
  });
  const abort = (): void => exchange.fail(signal.reason);
  const timer = patientTimer(limits.headersMs, () =>
    exchange.fail(timedOut(pool.origin.host, 'sending the headers of its response', limits.headersMs)),
  );
  signal.addEventListener('abort', abort, { once: true });
  exchange.head.then(timer.stop, () => undefined);
  const { body = null, beforeBody } = request;
  // Held back where something has to be done first; its length is known all the same.
  const held = beforeBody !== undefined && typeof body === 'string' ? Buffer.from(body) : undefined;
  const source = held === undefined ? body : [held];
  const isWhole = source === null || typeof source === 'string' || source instanceof Uint8Array;
  const length = held === undefined ? [] : ['content-length', String(held.length)];
  const pieces = isWhole
    ? source
    : Readable.from(sent(source, request, timer.restart, exchange), { objectMode: false });
  const path = url.pathname + url.search;
  connection.dispatch({ path, method, headers: [...headers, ...length], body: pieces }, exchange);
  return { exchange, reused: connection.reused };
}

/** A body, piece by piece as the connection takes it. @param progress Called for each piece that is taken */
async function* sent(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { beforeBody }: HttpRequest,
  progress: () => void,
  exchange: Exchange,
): AsyncGenerator<Uint8Array> {
  try {
    await beforeBody?.();
    for await (const piece of source) {
      progress();
      yield piece;
    }
  } catch (error) {
    exchange.fail(error);
    throw error;
  }
}
