import type { OnReadOpts, Socket } from 'node:net';

/** In bytes. */
const usual = 16_384;
const large = 131_072;

/**
 * The memory that one connection reads into, over and over: more of it only while a long body comes. What was read must
 * be used before the next read.
 */
export class ReadBuffer implements OnReadOpts {
  readonly buffer: () => Uint8Array;
  readonly callback: (count: number, bytes: Uint8Array) => boolean;
  #usual = Buffer.allocUnsafeSlow(usual);
  #next = this.#usual;

  /** @param read False: read no more for now */
  constructor(read: (bytes: Buffer) => boolean) {
    this.buffer = () => this.#next;
    this.callback = (count, bytes) => read(bytes.subarray(0, count) as Buffer);
  }

  /** Leaves the memory to whoever still needs what was read last. Called while it is read. */
  giveAway(): void {
    this.#usual = Buffer.allocUnsafeSlow(usual);
    this.#next = this.#usual;
  }

  /** This many bytes are known to come. */
  expect(count: number): void {
    if (count <= large) this.#next = this.#usual;
    else if (this.#next === this.#usual) this.#next = Buffer.allocUnsafeSlow(large);
  }
}

/** What `node:net` keeps of the option `onread` in a socket. */
const fields = ['kBuffer', 'kBufferCb', 'kBufferGen'] as const;

/**
 * Makes an accepted socket read into our memory, again and again. `node:net` offers that (`onread`) only to sockets that
 * connect; accepted ones get new memory for each read: garbage as long as an upload. So the same fields are set here, where
 * all are found as Node.js 20 to 24 have them. Called as soon as the socket is there. False: nothing was changed, and what
 * is read comes as `data`.
 */
export function readInto(socket: Socket, { buffer, callback }: OnReadOpts): boolean {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Handle };
  const symbols = fields.map((name) =>
    Object.getOwnPropertySymbols(socket).find(({ description }) => description === name),
  );
  const [first, call, generate] = symbols;
  if (typeof handle?.useUserBuffer !== 'function' || typeof buffer !== 'function') return false;
  if (first === undefined || call === undefined || generate === undefined) return false;
  const memory = buffer();
  Object.assign(socket, { [first]: memory, [call]: callback, [generate]: buffer });
  handle.useUserBuffer(memory);
  return true;
}

interface Handle {
  useUserBuffer?(memory: Uint8Array): void;
}
