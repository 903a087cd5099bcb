/** Size of the blocks that short pieces are copied into, in bytes. */
const minBlock = 1_024;
const maxBlock = 1_048_576;

/**
 * Bytes that come in pieces, kept in blocks: however short the pieces are, they take at most about twice their size. Time
 * is linear. What is taken is a `Buffer`, which is searched forty times as fast as another `Uint8Array`.
 */
export class ByteCollector {
  #blocks: Uint8Array[] = [];
  #size = 0;
  #held = 0;
  /** Bytes of the last block that are still free. */
  #room = 0;
  readonly #expected: number;

  /**
   * @param expected Most bytes that come: from the second MiB on they lie in one block of that size, and are not copied again to
   *   be joined. The system gives its memory as it is written to.
   */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  /** Bytes that were pushed. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory that are held for them. */
  get held(): number {
    return this.#expected > maxBlock ? this.#size : this.#held;
  }

  /** @param piece is copied: its memory may be used again. */
  push(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength;
    if (this.#size <= maxBlock && size > maxBlock && size <= this.#expected) {
      const whole = Buffer.allocUnsafeSlow(this.#expected);
      const begun = this.take();
      whole.set(begun);
      this.#blocks = [whole];
      this.#size = begun.byteLength;
      this.#room = this.#expected - this.#size;
    }
    let from = 0;
    const block = this.#blocks[this.#blocks.length - 1];
    if (block !== undefined && this.#room > 0) {
      from = Math.min(this.#room, piece.byteLength);
      block.set(from === piece.byteLength ? piece : piece.subarray(0, from), block.byteLength - this.#room);
      this.#room -= from;
    }
    if (from < piece.byteLength) this.#add(from === 0 ? piece : piece.subarray(from));
    this.#size = size;
  }

  /** All bytes as one; nothing is held then. */
  take(): Uint8Array {
    const [first = nothing] = this.#blocks;
    const whole = this.#blocks.length < 2 ? first.subarray(0, this.#size) : Buffer.concat(this.#blocks, this.#size);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#blocks = [];
    this.#size = 0;
    this.#held = 0;
    this.#room = 0;
  }

  /** The first piece gets a block of its size: most often it is the only one. */
  #add(piece: Uint8Array): void {
    const wanted = Math.min(Math.max(this.#size, minBlock), maxBlock);
    const isFirst = this.#blocks.length === 0;
    const block = isFirst ? Buffer.from(piece) : Buffer.allocUnsafe(Math.max(piece.byteLength, wanted));
    if (!isFirst) block.set(piece);
    this.#blocks.push(block);
    this.#room = block.byteLength - piece.byteLength;
    this.#held += block.byteLength;
  }
}

const nothing = Buffer.alloc(0);

/**
 * All bytes of a stream, as long as they are no more than `maxBytes`.
 * @param tooLarge Makes what is thrown when they are.
 * @throws what `tooLarge` makes, or what the stream throws
 */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Uint8Array> {
  const collector = new ByteCollector();
  for await (const chunk of chunks) {
    if (collector.size + chunk.byteLength > maxBytes) throw tooLarge();
    collector.push(chunk);
  }
  return collector.take();
}

/** The bytes without a byte order mark at their beginning. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
