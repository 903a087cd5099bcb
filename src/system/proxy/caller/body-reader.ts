import { ChunkedBody } from '../../../primitives/http1/chunked-body.js';
import type { Framing } from '../admit.js';
import type { BodyTaker } from './under-way.js';

export interface BodyProgress {
  /** Bytes of the piece that belong to the body. */
  readonly used: number;
  readonly ended: boolean;
  /** False: no more for now. */
  readonly goOn: boolean;
}

/** Finds where the body of one request ends (RFC 9112 section 6), and gives it on. */
export class BodyReader {
  readonly #chunks: ChunkedBody | undefined;
  #taker: BodyTaker | undefined;
  /** Bytes that are still to come, where a length was announced. */
  #left = 0;
  /** Of what has come, where none was announced. */
  #size = 0;
  #goOn = true;
  readonly #givePart = ({ buffer, byteOffset, byteLength }: Uint8Array): void =>
    this.#give(Buffer.from(buffer, byteOffset, byteLength));

  constructor(framing: Framing, taker: BodyTaker) {
    this.#taker = taker;
    if (framing.kind === 'length') this.#left = framing.length;
    this.#chunks = framing.kind === 'chunked' ? new ChunkedBody() : undefined;
  }

  /** How many bytes are likely to come still. */
  get expected(): number {
    return this.#chunks === undefined ? this.#left : this.#size;
  }

  /** How many parts the latest piece had: what it cost. */
  get parts(): number {
    return this.#chunks?.chunks ?? 1;
  }

  /** Undefined: this is not formed as the body of a request must be. */
  push(piece: Buffer): BodyProgress | undefined {
    this.#goOn = true;
    if (this.#chunks !== undefined) {
      this.#size += piece.length;
      const progress = this.#chunks.push(piece, this.#givePart);
      return progress && { ...progress, goOn: this.#goOn };
    }
    const used = Math.min(piece.length, this.#left);
    this.#left -= used;
    this.#give(used === piece.length ? piece : piece.subarray(0, used));
    return { used, ended: this.#left === 0, goOn: this.#goOn };
  }

  end(): void {
    this.#taker?.end();
  }

  /** The rest is nobody's. */
  drop(): void {
    this.#taker = undefined;
  }

  #give(piece: Buffer): void {
    if (this.#taker?.data(piece) === false) this.#goOn = false;
  }
}
