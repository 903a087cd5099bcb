import { Readable } from 'node:stream';
import { patientTimer } from './deadline.js';
import { Exchange, type Head } from './exchange.js';
import { headerRefused, methodRefused, timedOut } from './failures.js';
import type { ConnectionPool } from './pool.js';
import type { HttpRequest } from './request.js';
import type { ClientConnection } from './undici-connection.js';

/** One request to one URL, ready to be written to a connection. */
export interface Prepared {
  readonly request: HttpRequest;
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly signal: AbortSignal;
}

export interface Received {
  readonly exchange: Exchange;
  readonly head: Head;
}

/**
 * Sends a request and waits for the head of the answer. A GET or HEAD that went out on a kept-alive
 * connection just as the server closed it is sent once more, because no byte of an answer came (RFC
 * 9110 section 9.2.2); nothing else is ever sent twice.
 * @throws Failure `network_failed`, `tls_failed`, `timed_out`, `too_large`; the signal's reason
 */
export async function attempt(pool: ConnectionPool<ClientConnection>, prepared: Prepared): Promise<Received> {
  const first = await dispatch(pool, prepared);
  try {
    return { exchange: first.exchange, head: await first.exchange.head };
  } catch (error) {
    const { method } = prepared.request;
    const safe = method === 'GET' || method === 'HEAD';
    if (!safe || !first.reused || !first.exchange.endedUnanswered) throw error;
  }
  const { exchange } = await dispatch(pool, prepared);
  return { exchange, head: await exchange.head };
}

interface Dispatched {
  readonly exchange: Exchange;
  readonly reused: boolean;
}

async function dispatch(
  pool: ConnectionPool<ClientConnection>,
  { request, url, headers, signal }: Prepared,
): Promise<Dispatched> {
  const { totalMs, headersMs } = request.limits;
  const connection = await pool.borrow(totalMs === null ? 'stream' : 'bounded', signal);
  const ending = new AbortController();
  const exchange = new Exchange(pool.origin, request.method, (complete) => {
    timer.stop();
    signal.removeEventListener('abort', abort);
    ending.abort();
    if (!complete) void connection[Symbol.asyncDispose]();
    pool.release(connection);
  });
  const abort = (): void => exchange.fail(signal.reason);
  const late = (): void => exchange.fail(timedOut(pool.origin.host, 'sending the headers of its answer', headersMs));
  const timer = patientTimer(headersMs, late);
  signal.addEventListener('abort', abort, { once: true });
  exchange.head.then(
    () => timer.stop(),
    () => undefined,
  );
  const body = requestBody(request.body, ending.signal, {
    piece: () => void timer.restart(),
    failed: (error) => exchange.fail(error),
  });
  connection.dispatch({ path: url.pathname + url.search, method: request.method, headers, body }, exchange);
  return { exchange, reused: connection.reused };
}

export interface BodyWatcher {
  /** A piece was taken: the request makes progress. */
  piece(): void;
  /** The caller's own stream failed. */
  failed(error: unknown): void;
}

/**
 * A body as undici takes it. A stream is passed on piece by piece as the connection takes it; it ends
 * with the request: when `signal` is aborted its source is told to return, and is not waited for.
 */
export function requestBody(
  body: HttpRequest['body'],
  signal: AbortSignal,
  watcher: BodyWatcher,
): string | Uint8Array | Readable | null {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array
    ? body
    : Readable.from(pieces(body, signal, watcher), { objectMode: false });
}

async function* pieces(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  watcher: BodyWatcher,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let leave: (reason: unknown) => void = () => undefined;
  signal.addEventListener('abort', () => leave(signal.reason), { once: true });
  let done = false;
  try {
    while (!signal.aborted) {
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        leave = reject;
        iterator.next().then(resolve, reject);
      });
      if (result.done === true) {
        done = true;
        return;
      }
      watcher.piece();
      yield result.value;
    }
  } catch (error) {
    if (!signal.aborted) watcher.failed(error);
    throw error;
  } finally {
    if (!done) iterator.return?.().catch(() => undefined);
  }
}

type Header = readonly [name: string, value: string];

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Field values as RFC 9110 section 5.5 has them: visible characters, blank, tab, bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names that are the connection's own business (RFC 9110 section 7.6.1) or would misdirect a request. */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers to send, name and value in turn: the caller's, `user-agent` and `accept-encoding: identity`
 * unless the caller gives its own. Judged here, because undici's own error quotes the value.
 * @throws Failure `header_refused`, which does not hold the value
 */
export function requestHeaders(given: readonly Header[], userAgent: string): string[] {
  for (const [name, value] of given) {
    if (!token.test(name)) throw headerRefused(name, 'its name holds a character that no header name may hold');
    if (reserved.has(name.toLowerCase())) throw headerRefused(name, 'the program sets it itself, or HTTP does');
    if (!fieldValue.test(value)) throw headerRefused(name, 'its value holds a character that no header may hold');
  }
  const defaults: readonly Header[] = [
    ['user-agent', userAgent],
    ['accept-encoding', 'identity'],
  ];
  const missing = defaults.filter(([name]) => !given.some(([other]) => other.toLowerCase() === name));
  return [...missing, ...given].flat();
}

/** @throws Failure `method_refused` */
export function checkMethod(method: string): void {
  if (!token.test(method) || method === 'CONNECT') throw methodRefused(method);
}

/** Whether the caller asked for a coding itself: then it gets the answer as it comes, undecoded. */
export function asksForCoding(given: readonly Header[]): boolean {
  return given.some(([name, value]) => name.toLowerCase() === 'accept-encoding' && value !== 'identity');
}
