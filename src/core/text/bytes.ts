/** Size of the blocks that short pieces are copied into, in bytes. */
const minBlock = 1_024;
const maxBlock = 1_048_576;

const maxExpected = 64 * 1_048_576;

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
  /** All of it lies in one block of the size that is expected. */
  #isOne = false;
  /** Such a block that was taken, and one that can be used again. */
  #given: Buffer | undefined;
  #spare: Buffer | undefined;

  /**
   * @param expected Most bytes that come. From the second MiB on they then lie in one block of that size, and are not copied
   * again to be joined: the system gives memory as it is written to. Without it there are blocks of a MiB.
   */
  constructor(expected = 0) {
    this.#expected = Math.min(expected, maxExpected);
  }

  /** Bytes that were pushed. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory that are held for them. */
  get held(): number {
    return this.#isOne ? this.#size : this.#held;
  }

  /** @param piece is copied: its memory may be used again. */
  push(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength;
    if (!this.#isOne && size > maxBlock && size <= this.#expected) this.#makeOne();
    let from = 0;
    const block = this.#blocks[this.#blocks.length - 1];
    if (block !== undefined && this.#room > 0) {
      from = Math.min(this.#room, piece.byteLength);
      block.set(from === piece.byteLength ? piece : piece.subarray(0, from), block.byteLength - this.#room);
      this.#room -= from;
    }
    if (from < piece.byteLength) this.#add(from === 0 ? piece : piece.subarray(from));
    this.#size += piece.byteLength;
  }

  /** All bytes as one; nothing is held then. */
  take(): Uint8Array {
    const [first = nothing] = this.#blocks;
    const whole = this.#blocks.length < 2 ? first.subarray(0, this.#size) : joined(this.#blocks, this.#size);
    this.#given = this.#isOne ? (first as Buffer) : undefined;
    this.clear();
    return whole;
  }

  /** The bytes taken so far are not needed any more: their memory is used again. */
  recycle(): void {
    this.#spare ??= this.#given;
    this.#given = undefined;
  }

  clear(): void {
    this.#blocks = [];
    this.#size = 0;
    this.#held = 0;
    this.#room = 0;
    this.#isOne = false;
  }

  #makeOne(): void {
    const block = this.#spare ?? Buffer.allocUnsafeSlow(this.#expected);
    this.#spare = undefined;
    copyInto(block, this.#blocks, this.#size);
    this.#blocks = [block];
    this.#room = this.#expected - this.#size;
    this.#held = this.#expected;
    this.#isOne = true;
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

/** The first `length` bytes of the pieces as one. */
function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = Buffer.allocUnsafe(length);
  copyInto(whole, pieces, length);
  return whole;
}

function copyInto(target: Uint8Array, pieces: readonly Uint8Array[], length: number): void {
  let at = 0;
  for (const piece of pieces) {
    target.set(length - at < piece.byteLength ? piece.subarray(0, length - at) : piece, at);
    at += piece.byteLength;
  }
}

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
  const collector = new ByteCollector(maxBytes);
  for await (const chunk of chunks) {
    if (collector.size + chunk.byteLength > maxBytes) throw tooLarge();
    collector.push(chunk);
  }
  return collector.take();
}

/** Texts of most messages: they are recognised, and not decoded anew each time. */
const texts = [
  ...[
    'id',
    'event',
    'retry',
    'uri',
    '2.0',
    'jsonrpc',
    'method',
    'params',
    'result',
    'error',
    'name',
    'arguments',
    'data',
    'level',
  ],
  ...['_meta', 'code', 'message', 'content', 'text', 'type', 'logger', 'progress', 'progressToken', 'requestId'],
  ...['protocolVersion', 'io.modelcontextprotocol/protocolVersion'],
  ...['ping', 'initialize', 'tools/call', 'tools/list', 'resources/read', 'prompts/get', 'total', 'taskId'],
  ...['notifications/message', 'notifications/progress', 'notifications/cancelled', 'notifications/initialized'],
];

const byLength: string[][] = [];
for (const text of texts) {
  byLength[text.length] ??= [];
  byLength[text.length]?.push(text);
}

/** The text that these bytes spell, where it is one of `texts`. */
export function knownText(bytes: Uint8Array, from: number, to: number): string | undefined {
  for (const text of byLength[to - from] ?? []) {
    let same = 0;
    while (same < text.length && bytes[from + same] === text.charCodeAt(same)) same += 1;
    if (same === text.length) return text;
  }
  return undefined;
}

/** The bytes without a byte order mark at their beginning. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
