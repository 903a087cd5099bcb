import { tooLarge } from '../../errors/network.js';
import type { OutboundRequest, OutboundResponse } from '../../primitives/outbound.js';
import { codingOf, decoded, limited } from './body-decoding.js';
import type { Exchange, Head } from './exchange.js';
import type { Place } from './place.js';
import { leaveUnread } from './unread.js';

/** What an answer is made of. */
export interface ResponseParts {
  readonly request: Pick<OutboundRequest, 'method' | 'limits'>;
  readonly url: string;
  readonly place: Place;
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
export function makeResponse(parts: ResponseParts): OutboundResponse {
  const { head, place, exchange } = parts;
  const { maxBytes, totalMs } = parts.request.limits;
  const hasBody = parts.request.method !== 'HEAD' && head.status !== 204 && head.status !== 304;
  const coding = hasBody && !parts.keepCoding ? codingOf(head.headers, place.host) : undefined;
  checkAnnounced(head, hasBody ? maxBytes : null, place.host);
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
    zone: place.zone,
    body: { [Symbol.asyncIterator]: take },
    bytes: async () => concatenated(take()),
    [Symbol.asyncDispose]: () => leaveUnread(exchange, maxBytes === null || totalMs === null),
  };
}

async function* bodyOf(parts: ResponseParts, coding: string | undefined): AsyncGenerator<Uint8Array> {
  const { exchange, place } = parts;
  const { maxBytes } = parts.request.limits;
  const bound = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
    maxBytes === null ? chunks : limited(chunks, maxBytes, place.host);
  try {
    const raw = bound(received(exchange));
    yield* coding === undefined ? raw : bound(decoded(raw, coding, place));
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
