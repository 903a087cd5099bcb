import type { OnReadOpts } from 'node:net';

/** In bytes. */
const usual = 16_384;
const large = 131_072;

/**
 * The memory that one connection reads into, over and over: more of it only while a long body comes. What was read is
 * to be used before the next read.
 */
export class ReadBuffer implements OnReadOpts {
  readonly buffer: () => Uint8Array;
  readonly callback: (count: number, bytes: Uint8Array) => boolean;
  #usual = Buffer.allocUnsafeSlow(usual);
  #next = this.#usual;

  /** @param read false: nothing more is to be read for now */
  constructor(read: (bytes: Buffer) => boolean) {
    this.buffer = () => this.#next;
    this.callback = (count, bytes) => read(bytes.subarray(0, count) as Buffer);
  }

  /** What was read last is still needed: whoever needs it has that memory now. To be called while it is read. */
  giveAway(): void {
    this.#usual = Buffer.allocUnsafeSlow(usual);
    this.#next = this.#usual;
  }

  /** So many bytes are known to come. */
  expect(count: number): void {
    if (count <= large) this.#next = this.#usual;
    else if (this.#next === this.#usual) this.#next = Buffer.allocUnsafeSlow(large);
  }
}
