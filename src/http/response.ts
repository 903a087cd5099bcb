import { pipeline } from 'node:stream';
import { Failure } from '../core/failure.js';
import { type Coding, codingOf, createDecoder } from './body.js';
import type { Exchange, Head } from './exchange.js';
import { tooLarge } from './failures.js';
import { networkFailed } from './network-failures.js';
import type { Origin } from './origin.js';
import type { HttpRequest, HttpResponse } from './request.js';

/** A response whose head has come. */
interface Received {
  readonly url: string;
  readonly origin: Origin;
  readonly head: Head;
  readonly exchange: Exchange;
}

/**
 * The response as the caller sees it. Where a body is decoded, `content-encoding` and `content-length` are left out of the
 * headers, because they describe another body than the one that is given. A caller who asks for a coding itself gets the
 * body as it comes.
 * @throws Failure `too_large`
 */
export function makeResponse(
  request: Pick<HttpRequest, 'method' | 'limits' | 'headers'>,
  { url, origin, head, exchange }: Received,
): HttpResponse {
  const { maxBytes, totalMs } = request.limits;
  const { host } = origin;
  const hasBody = request.method !== 'HEAD' && head.status !== 204 && head.status !== 304;
  const keepsCoding = request.headers?.some(
    ([name, value]) => name.toLowerCase() === 'accept-encoding' && value !== 'identity',
  );
  const coding = hasBody && keepsCoding !== true ? checkedCoding(head, origin) : undefined;
  const announced = Number(head.headers.find(([name]) => name === 'content-length')?.[1]);
  if (hasBody && maxBytes !== null && announced > maxBytes) {
    throw tooLarge(host, `${announced} bytes, more than the ${maxBytes} that are read here`);
  }
  let taken = false;
  const take = (): AsyncGenerator<Uint8Array> => {
    if (taken) throw new Error('The body of a response can be read once.');
    taken = true;
    const whole = coding === undefined ? exchange.body() : decoded(exchange.body(), coding, origin);
    return endingWith(exchange, maxBytes === null ? whole : limited(whole, maxBytes, host));
  };
  const describesCoded = ([name]: Head['headers'][number]) => name === 'content-encoding' || name === 'content-length';
  return {
    status: head.status,
    url,
    headers: coding === undefined ? head.headers : head.headers.filter((header) => !describesCoded(header)),
    zone: origin.zone,
    body: { [Symbol.asyncIterator]: take },
    bytes: async () => {
      const all: Uint8Array[] = [];
      for await (const chunk of take()) all.push(chunk);
      return Buffer.concat(all);
    },
    [Symbol.asyncDispose]: () => leaveUnread(exchange, maxBytes === null || totalMs === null),
  };
}

type Chunks = AsyncIterable<Uint8Array>;

/** A caller that stops reading ends the exchange. */
async function* endingWith(exchange: Exchange, chunks: Chunks): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    cutOff(exchange);
  }
}

function cutOff(exchange: Exchange): void {
  exchange.fail(new Error('The rest of the body is not wanted.'));
}

/** @throws Failure `too_large` where a body would have no bound that can be kept, `network_failed` for an unknown coding */
function checkedCoding({ headers }: Head, { host, port }: Origin): Coding | undefined {
  const coding = codingOf(headers.flatMap(([name, value]) => (name === 'content-encoding' ? [value] : [])));
  if (coding === 'several') throw tooLarge(host, 'a response that is compressed several times');
  if (coding === 'unknown') throw networkFailed({ host, port, code: 'unknown_coding' });
  return coding;
}

/**
 * Decodes as the chunks come, at most 64 KiB ahead of the reader.
 * @throws Failure `network_failed` where the data is damaged; what `source` throws
 */
async function* decoded(source: Chunks, coding: Coding, { host, port }: Origin): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const decoder = createDecoder(coding);
  const input = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  pipeline(input, decoder, () => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (error) {
    throw error instanceof Failure ? error : networkFailed({ host, port, code: 'damaged_coding' });
  }
}

/**
 * Passes chunks on until there would be more than `maxBytes`.
 * @throws Failure `too_large`
 */
async function* limited(source: Chunks, maxBytes: number, host: string): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.byteLength;
    if (total > maxBytes) throw tooLarge(host, `more than the ${maxBytes} bytes that are read here`);
    yield chunk;
  }
}

/** What is read and dropped to save a connection: this much, this long. */
const drainedBytes = 64 * 1024;
const drainedMs = 200;

/**
 * Ends a response whose rest is unwanted. A short rest is read and dropped, so that the connection can
 * carry the next request; a stream, a long or a slow rest is cut off with its connection.
 */
export async function leaveUnread(exchange: Exchange, isStream: boolean): Promise<void> {
  if (isStream) return cutOff(exchange);
  const timer = setTimeout(cutOff, drainedMs, exchange);
  try {
    let total = 0;
    for await (const chunk of exchange.body()) {
      total += chunk.byteLength;
      if (total > drainedBytes) return cutOff(exchange);
    }
  } catch {
    // How an unwanted rest ends does not matter.
  } finally {
    clearTimeout(timer);
  }
}
