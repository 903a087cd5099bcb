import type { Readable, Writable } from 'node:stream';

/** Bytes that may wait for the host before it counts as slow. */
const fullAt = 256 * 1024;

/** Messages up to this size are put together for one write. */
const smallMessage = 16 * 1024;

/** How often this process looks for its parent, in milliseconds. */
const lookEveryMs = 1_000;

const lineFeed = Buffer.from('\n');

/**
 * The host behind stdin and stdout. It has gone when its input ends, when nobody reads what is written, and when this
 * process has been handed to another parent: a host that was killed may leave its pipes open in programs that it started.
 */
export class HostPipe {
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  #pieces: Uint8Array[] = [];
  #waiting: (() => void)[] = [];
  #end: () => void = () => undefined;
  readonly #leaving = new AbortController();
  #isWaking = false;

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    this.#stdout = stdout.on('error', () => this.#gone());
    // stdout is the protocol's: what packages print goes to stderr.
    const { error } = console;
    Object.assign(console, { log: error, info: error, debug: error });
  }

  /** Aborted once nobody reads what is written: input that has ended says nothing of that. */
  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Tells what comes until `end`, which comes once: at the end of input, or when the host is gone. */
  listen(taker: { data(chunk: Uint8Array): void; end(): void }): void {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid !== parent) this.#gone();
    }, lookEveryMs);
    watch.unref();
    let ended = false;
    this.#end = () => {
      if (ended) return;
      ended = true;
      this.#stdin.destroy();
      taker.end();
    };
    this.#stdin
      .on('data', (chunk: Uint8Array) => taker.data(chunk))
      .once('end', this.#end)
      .once('error', this.#end)
      .once('close', this.#end);
    if (this.gone.aborted) this.#end();
    this.gone.addEventListener('abort', () => clearInterval(watch));
  }

  pause(): void {
    this.#stdin.pause();
  }

  resume(): void {
    this.#stdin.resume();
  }

  get isFull(): boolean {
    return !this.gone.aborted && this.#stdout.writableLength > fullAt;
  }

  /** One message; the line feed is added. Never blocks: look at `isFull`. */
  write(message: Uint8Array): void {
    if (this.gone.aborted) return;
    // One write for all messages of this turn of the event loop.
    if (this.#pieces.length === 0) setImmediate(() => this.#flush());
    this.#pieces.push(message, lineFeed);
    if (message.byteLength > smallMessage) this.#flush();
  }

  whenDrained(then: () => void): void {
    if (!this.isFull) queueMicrotask(then);
    else this.#waiting.push(then);
  }

  /** Resolves once the host has read all, or cannot any more. */
  async flushed(): Promise<void> {
    this.#flush();
    while (!this.gone.aborted && this.#stdout.writableLength > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #gone(): void {
    this.#leaving.abort();
    this.#pieces = [];
    for (const then of this.#waiting.splice(0)) then();
    this.#end();
  }

  #flush(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    const written = () => {
      if (!this.isFull) this.#wake();
    };
    const last = pieces.at(-2);
    if (last !== undefined && last.byteLength > smallMessage) {
      this.#stdout.cork();
      const small = pieces.slice(0, -2);
      if (small.length > 0) this.#stdout.write(Buffer.concat(small));
      this.#stdout.write(last);
      this.#stdout.write(lineFeed, written);
      this.#stdout.uncork();
      return;
    }
    this.#stdout.write(Buffer.concat(pieces), written);
  }

  /** One after the other, while there is room: each may write a large message. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      if (!this.isFull) this.#wake();
    });
  }
}
