import type { Transform } from 'node:stream';
import { Failure } from '../../errors/failure.js';
import { networkFailed, tooLarge } from '../../errors/network.js';

type Chunks = AsyncIterable<Uint8Array>;
interface Party {
  readonly host: string;
  readonly port: number;
}

const known = ['gzip', 'x-gzip', 'br', 'deflate'];

/**
 * The one coding that a body has to be freed of although `identity` was asked for; undefined for none.
 * A chain of codings, or one that is not known, has no bound that can be kept.
 * @throws Failure `too_large`
 */
export function codingOf(headers: readonly (readonly [string, string])[], host: string): string | undefined {
  const codings = headers
    .filter(([name]) => name === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding] = codings;
  if (codings.length > 1) throw tooLarge(host, 'an answer that is compressed several times over');
  if (coding !== undefined && !known.includes(coding)) {
    throw tooLarge(host, 'an answer compressed in a way that was not asked for and is not known');
  }
  return coding;
}

/**
 * Decodes as the chunks come, at most 64 KiB ahead of the reader.
 * @throws Failure `network_failed` where the data is damaged; what `source` throws
 */
export async function* decoded(source: Chunks, coding: string, party: Party): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const { pipeline } = await import('node:stream');
  const decoder = await decoderFor(coding);
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
export async function* limited(source: Chunks, maxBytes: number, host: string): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.byteLength;
    if (total > maxBytes) throw tooLarge(host, `more than the ${maxBytes} bytes that are read here`);
    yield chunk;
  }
}

async function decoderFor(coding: string): Promise<Transform> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  if (coding === 'br') return createBrotliDecompress();
  return coding === 'deflate' ? createInflate() : createGunzip();
}
