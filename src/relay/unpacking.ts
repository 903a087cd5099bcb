import type { Transform } from 'node:stream';

const decoders = {
  gzip: 'createGunzip',
  'x-gzip': 'createGunzip',
  deflate: 'createInflate',
  br: 'createBrotliDecompress',
} as const;

/** Is told what comes out. */
export interface UnpackingTaker {
  data(chunk: Uint8Array): void;
  end(): void;
  damaged(): void;
  /** After a `push` that gave false: it may go on. */
  drained(): void;
}

/** The coding that an answer has to be freed of, of its `Content-Encoding` values; 'unknown' where that is not possible. */
export function codingOf(values: readonly string[]): keyof typeof decoders | 'unknown' | undefined {
  const codings = values
    .join()
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding] = codings;
  if (coding === undefined) return undefined;
  return codings.length === 1 && Object.hasOwn(decoders, coding)
    ? (coding as keyof typeof decoders)
    : 'unknown';
}

/**
 * Frees an answer of its coding as it comes, and no faster than what comes out is taken: a small answer that unpacks to
 * an endless one is as slow to fill memory as one that is sent unpacked.
 */
export class Unpacking {
  readonly #decoder: Transform;
  readonly #taker: UnpackingTaker;
  #isEmpty = true;

  constructor(coding: keyof typeof decoders, taker: UnpackingTaker) {
    // Loaded here, at once: next to nobody sends what it was asked not to.
    const zlib = process.getBuiltinModule('node:zlib');
    this.#taker = taker;
    this.#decoder = zlib[decoders[coding]]();
    this.#decoder
      .on('data', (chunk: Uint8Array) => taker.data(chunk))
      .on('drain', () => taker.drained())
      .once('end', () => taker.end())
      .once('error', () => taker.damaged());
  }

  /** False: no more until `drained`. The chunk is kept. */
  push(chunk: Uint8Array): boolean {
    this.#isEmpty = false;
    return this.#decoder.write(chunk);
  }

  /** All has come; what is unpacked of it still comes out. An answer without a body has nothing to unpack. */
  end(): void {
    if (this.#isEmpty) this.#taker.end();
    else this.#decoder.end();
  }

  pause(): void {
    this.#decoder.pause();
  }

  resume(): void {
    this.#decoder.resume();
  }

  stop(): void {
    this.#decoder.destroy();
  }
}
