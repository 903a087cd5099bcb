import type { Limits } from '../core/limits.js';
import { protocolBroken } from '../mcp/failures.js';
import { callTooLarge } from './failures.js';

const mebibyte = 1024 * 1024;

/** What a line and an event of a stream count beyond their bytes: to read them costs more than these do. In bytes. */
const costOfLine = 32;

const costOfEvent = 512;

/** What one call reads at most, of whatever comes on whichever of its streams. */
export class Allowance {
  /** Most bytes of one message. */
  readonly largestMessage: number;
  readonly #server: string;
  readonly #limits: Pick<Limits, 'messageMiB' | 'callMiB'>;
  #left: number;
  #lines = 0;
  #events = 0;

  constructor(server: string, limits: Pick<Limits, 'messageMiB' | 'callMiB'>) {
    this.#server = server;
    this.#limits = limits;
    this.largestMessage = limits.messageMiB * mebibyte;
    this.#left = limits.callMiB * mebibyte;
  }

  /** Passes the pieces of an answer on, as long as the call may read more. @throws Failure `too_large` */
  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      this.#spend(chunk.byteLength);
      yield chunk;
    }
  }

  /** So many lines and events of a stream have come. @throws Failure `too_large` */
  countPieces(lines: number, events: number): void {
    this.#lines += lines;
    this.#events += events;
    this.#spend(lines * costOfLine + events * costOfEvent);
  }

  /** Failure `protocol_broken`, for a message beyond the limit. */
  tooLarge(): Error {
    return protocolBroken(this.#server, `a message is larger than ${this.#limits.messageMiB} MiB`);
  }

  #spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    const [lines, events] = [this.#lines, this.#events];
    const counted = lines * costOfLine + events * costOfEvent;
    const isOfPieces = counted * 8 > this.#limits.callMiB * mebibyte;
    const pieces = isOfPieces ? { lines, events, costOfLine, costOfEvent } : undefined;
    throw callTooLarge(this.#server, this.#limits.callMiB, pieces);
  }
}
