/** How large the memory is that short pieces are put into: at least, and at most. In bytes. */
const smallestBlock = 1_024;

const largestBlock = 1_048_576;

const largestExpected = 64 * 1_048_576;

/**
 * Bytes that come in pieces (as a `Buffer`, which is searched forty times as fast as another `Uint8Array`), kept as bytes and nothing else: however short the pieces are, what they cost is at most
 * about twice what they weigh. Time is linear.
 */
export class ByteCollector {
  #blocks: Uint8Array[] = [];
  #size = 0;
  #held = 0;
  /** Bytes of the last block that are still free. */
  #room = 0;
  readonly #expected: number;
  /** Whether all of it lies in a block that is as large as what is expected. */
  #isOne = false;
  /** Such a block that was taken, and one that may be used again. */
  #given: Buffer | undefined;
  #spare: Buffer | undefined;

  /**
   * @param expected Most bytes that come. What is many then lies in one block from its second MiB on, and is not copied
   * once more to be one: the system gives memory as it is written to. Without it there are blocks of a MiB.
   */
  constructor(expected = 0) {
    this.#expected = Math.min(expected, largestExpected);
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
    if (!this.#isOne && size > largestBlock && size <= this.#expected) this.#makeOne();
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

  /** All of it as one; nothing is held then. */
  take(): Uint8Array {
    const [first = nothing] = this.#blocks;
    const whole = this.#blocks.length < 2 ? first.subarray(0, this.#size) : joined(this.#blocks, this.#size);
    this.#given = this.#isOne ? (first as Buffer) : undefined;
    this.clear();
    return whole;
  }

  /** What was taken so far is not needed any more: its memory may be used again. */
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

  /** What comes first is kept as it is: most often there is nothing more. */
  #add(piece: Uint8Array): void {
    const wanted = Math.min(Math.max(this.#size, smallestBlock), largestBlock);
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

/** What stands in most messages, so that it is recognised and not made anew each time. */
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

const longest = 40;

const byLength = Array.from({ length: longest }, (_, length) => texts.filter((text) => text.length === length));

/** The text that these bytes spell, where it is one of those; undefined for others. */
export function knownText(bytes: Uint8Array, from: number, to: number): string | undefined {
  for (const text of byLength[to - from] ?? []) {
    let same = 0;
    while (same < text.length && bytes[from + same] === text.charCodeAt(same)) same += 1;
    if (same === text.length) return text;
  }
  return undefined;
}
