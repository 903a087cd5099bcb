import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { SentResponse } from '../wire/response.js';

const megabyte = 1_048_576;

/** JSON of 50 MB that nothing but its size is wrong with. */
export function hugeJson(): SentResponse {
  return jsonOf(pieces('{"padding":"', Buffer.alloc(megabyte, 0x61), 50, '"}'));
}

/** 50 KB of gzip that unpack to 50 MB, whatever encodings the client said it takes. */
export function gzipBomb(): SentResponse {
  const response = jsonOf(pieces('', gzipSync(Buffer.alloc(megabyte, 0x20)), 50, ''));
  return { ...response, headers: [...response.headers, ['content-encoding', 'gzip']] };
}

/** A byte four times a second, for ten minutes: no idle time-out ever ends it. */
export function slowJson(): SentResponse {
  return jsonOf(drops());
}

function jsonOf(body: AsyncIterable<Uint8Array>): SentResponse {
  return { status: 200, headers: [['content-type', 'application/json']], body };
}

async function* pieces(before: string, piece: Buffer, times: number, after: string): AsyncGenerator<Uint8Array> {
  if (before !== '') yield Buffer.from(before);
  for (let count = 0; count < times; count += 1) yield piece;
  if (after !== '') yield Buffer.from(after);
}

async function* drops(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 2400; count += 1) {
    yield Buffer.from(' ');
    await sleep(250, undefined, { ref: false });
  }
}
