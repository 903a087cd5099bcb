import { Failure } from '../core/failure.js';
import { type Coding, codingOf, createDecoder } from './body.js';
import type { Exchange, Head } from './exchange.js';
import { networkFailed, tooLarge } from './failures.js';
import type { Origin } from './origin.js';
import type { HttpRequest, HttpResponse } from './request.js';

/** What an answer is made of. */
export interface ResponseParts {
  readonly request: Pick<HttpRequest, 'method' | 'limits'>;
  readonly url: string;
  readonly origin: Origin;
  readonly head: Head;
  readonly exchange: Exchange;
  /** The caller asked for a coding itself and gets the body as it comes. */
  readonly keepCoding: boolean;
}

/**
 * The answer as the caller sees it. Where a body is decoded, `content-encoding` and `content-length` are
 * left out of the headers, because they describe another body than the one that is given.
 * @throws Failure `too_large`
 */
export function makeResponse(parts: ResponseParts): HttpResponse {
  const { head, origin, exchange } = parts;
  const { maxBytes, totalMs } = parts.request.limits;
  const hasBody = parts.request.method !== 'HEAD' && head.status !== 204 && head.status !== 304;
  const coding = hasBody && !parts.keepCoding ? checkedCoding(head.headers, origin.host) : undefined;
  checkAnnounced(head, hasBody ? maxBytes : null, origin.host);
  let taken = false;
  const take = (): AsyncGenerator<Uint8Array> => {
    if (taken) throw new Error('The body of a response can be read once.');
    taken = true;
    return bodyOf(parts, coding);
  };
  return {
    status: head.status,
    url: parts.url,
    headers:
      coding === undefined
        ? head.headers
        : head.headers.filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
    zone: origin.zone,
    body: { [Symbol.asyncIterator]: take },
    bytes: async () => concatenated(take()),
    [Symbol.asyncDispose]: () => leaveUnread(exchange, maxBytes === null || totalMs === null),
  };
}

async function* bodyOf(parts: ResponseParts, coding: Coding | undefined): AsyncGenerator<Uint8Array> {
  const { exchange, origin } = parts;
  const { maxBytes } = parts.request.limits;
  const bound = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
    maxBytes === null ? chunks : limited(chunks, maxBytes, origin.host);
  try {
    const raw = bound(received(exchange));
    yield* coding === undefined ? raw : bound(decoded(raw, coding, origin));
  } finally {
    if (!exchange.ended) exchange.fail(new Error('The rest of the body is not wanted.'));
  }
}

async function* received(exchange: Exchange): AsyncGenerator<Uint8Array> {
  for (let chunk = await exchange.next(); chunk !== undefined; chunk = await exchange.next()) yield chunk;
}

/** A length that is announced and beyond the limit needs no reading. */
function checkAnnounced(head: Head, maxBytes: number | null, host: string): void {
  const announced = Number(head.headers.find(([name]) => name === 'content-length')?.[1]);
  if (maxBytes !== null && announced > maxBytes) {
    throw tooLarge(host, `${announced} bytes, more than the ${maxBytes} that are read here`);
  }
}

async function concatenated(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return new Uint8Array(Buffer.concat(all));
}

type Chunks = AsyncIterable<Uint8Array>;

interface Party {
  readonly host: string;
  readonly port: number;
}

/** @throws Failure `too_large` where a body would have no bound that can be kept */
function checkedCoding(headers: Head['headers'], host: string): Coding | undefined {
  const coding = codingOf(headers.flatMap(([name, value]) => (name === 'content-encoding' ? [value] : [])));
  if (coding === 'several') throw tooLarge(host, 'an answer that is compressed several times over');
  if (coding === 'unknown') {
    throw tooLarge(host, 'an answer compressed in a way that was not asked for and is not known');
  }
  return coding;
}

/**
 * Decodes as the chunks come, at most 64 KiB ahead of the reader.
 * @throws Failure `network_failed` where the data is damaged; what `source` throws
 */
async function* decoded(source: Chunks, coding: Coding, party: Party): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const { pipeline } = await import('node:stream');
  const decoder = createDecoder(coding);
  const rest = { [Symbol.asyncIterator]: () => iterator };
  const input = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* rest;
  };
  pipeline(input, decoder, () => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (error) {
    throw error instanceof Failure ? error : networkFailed({ ...party, code: 'damaged_coding' });
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
const worthReading = 64 * 1024;

const worthWaiting = 200;

/**
 * Ends an answer whose rest nobody wants. A short rest is read and dropped, so that the connection can
 * carry the next request; a stream, a long or a slow rest is cut off with its connection.
 */
export async function leaveUnread(exchange: Exchange, isStream: boolean): Promise<void> {
  if (exchange.ended) return;
  const cutOff = (): void => exchange.fail(new Error('The rest of the body is not wanted.'));
  if (isStream) return cutOff();
  const timer = setTimeout(cutOff, worthWaiting);
  try {
    let total = 0;
    for (let chunk = await exchange.next(); chunk !== undefined; chunk = await exchange.next()) {
      total += chunk.byteLength;
      if (total > worthReading) return cutOff();
    }
  } catch {
    // It ended in some other way, which nobody wants to know any more.
  } finally {
    clearTimeout(timer);
  }
}
