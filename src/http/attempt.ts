import { Readable } from 'node:stream';
import { patientTimer } from './deadline.js';
import { Exchange, type Head } from './exchange.js';
import { timedOut } from './failures.js';
import type { ConnectionPool } from './pool.js';
import type { HttpRequest, Observe, ObservedRequest } from './request.js';
import type { ClientConnection } from './undici-connection.js';

/** Does the work of one request, and tells the observer of it where there is one. @throws what the work throws */
export async function observed<Result extends { readonly head: NonNullable<ObservedRequest['response']> }>(
  observe: Observe | undefined,
  request: Pick<ObservedRequest, 'method' | 'url' | 'headers'>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (observe === undefined) return work();
  const began = performance.now();
  const seen = (response: ObservedRequest['response'], error: unknown) =>
    observe({ ...request, ms: performance.now() - began, response, error });
  try {
    const result = await work();
    seen(result.head, undefined);
    return result;
  } catch (error) {
    seen(undefined, error);
    throw error;
  }
}

/** One request to one URL, ready to be written to a connection. */
export interface Prepared {
  readonly request: HttpRequest;
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly headersAgain?: (() => string[]) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and waits for the head of the response. A GET or HEAD that went out on a kept-alive
 * connection just as the server closed it is sent once more, because no byte of a response came (RFC
 * 9110 section 9.2.2); nothing else is ever sent twice.
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
  const { method, limits, fresh } = request;
  const connection = await pool.borrow(limits.totalMs === null ? 'stream' : 'bounded', signal, fresh);
  const ending: Ending = { isOver: false, leave: () => undefined };
  const exchange = new Exchange(pool.origin, method, (complete) => {
    timer.stop();
    signal.removeEventListener('abort', abort);
    ending.isOver = true;
    ending.leave();
    if (!complete) void connection[Symbol.asyncDispose]();
    pool.release(connection);
  });
  const abort = (): void => exchange.fail(signal.reason);
  const timer = patientTimer(limits.headersMs, () =>
    exchange.fail(timedOut(pool.origin.host, 'sending the headers of its response', limits.headersMs)),
  );
  signal.addEventListener('abort', abort, { once: true });
  exchange.head.then(timer.stop, () => undefined);
  const { given, length } = heldBack(request);
  const body =
    typeof given === 'object' && !(given instanceof Uint8Array)
      ? Readable.from(pieces(given, ending, timer.restart, exchange), { objectMode: false })
      : given;
  const path = url.pathname + url.search;
  connection.dispatch({ path, method, headers: [...headers, ...length], body: body ?? null }, exchange);
  return { exchange, reused: connection.reused };
}

/** The body, held back where something has to be done first; its length is known all the same. */
function heldBack({ body, beforeBody }: HttpRequest): {
  readonly given: HttpRequest['body'];
  readonly length: readonly string[];
} {
  if (beforeBody === undefined || typeof body !== 'string') return { given: body, length: [] };
  const bytes = Buffer.from(body);
  const given = (async function* () {
    await beforeBody();
    yield bytes;
  })();
  return { given, length: ['content-length', String(bytes.length)] };
}

/** The end of a request. No AbortSignal: that is a fiftieth of a refresh where nothing else in it is aborted. */
interface Ending {
  isOver: boolean;
  /** Ends the wait for the next piece of its body. */
  leave: () => void;
}

/**
 * A body, piece by piece as the connection takes it. It ends with the request: its source is then asked to return, and is
 * not waited for.
 * @param progress Called for each piece that is taken
 */
async function* pieces(
  source: AsyncIterable<Uint8Array>,
  ending: Ending,
  progress: () => void,
  exchange: Exchange,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let done = false;
  try {
    while (!ending.isOver) {
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        ending.leave = () => reject(new Error('The request is over.'));
        iterator.next().then(resolve, reject);
      });
      ending.leave = () => undefined;
      done = result.done === true;
      if (result.done) return;
      progress();
      yield result.value;
    }
  } catch (error) {
    if (!ending.isOver) exchange.fail(error);
    throw error;
  } finally {
    if (!done) iterator.return?.().catch(() => undefined);
  }
}
