import type { Limits } from '../core/limits.js';
import type { Meter } from '../mcp/exchange.js';
import { callTooLarge } from './failures.js';

/** What a line and an event of a stream count beyond their bytes, since reading them costs more. In bytes. */
const costOfLine = 32;

const costOfEvent = 512;

/** What one call reads at most, of all responses. */
export class Allowance implements Meter {
  readonly #server: string;
  readonly #limits: Pick<Limits, 'callMiB'>;
  #left: number;
  #lines = 0;
  #events = 0;

  constructor(server: string, limits: Pick<Limits, 'callMiB'>) {
    this.#server = server;
    this.#limits = limits;
    this.#left = limits.callMiB * 1024 * 1024;
  }

  /** @throws Failure `too_large` */
  bytes(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    const [lines, events] = [this.#lines, this.#events];
    const counted = lines * costOfLine + events * costOfEvent;
    const isOfPieces = counted * 8 > this.#limits.callMiB * 1024 * 1024;
    const pieces = isOfPieces ? { lines, events, costOfLine, costOfEvent } : undefined;
    throw callTooLarge(this.#server, this.#limits.callMiB, pieces);
  }

  /** @throws Failure `too_large` */
  pieces(lines: number, events: number): void {
    this.#lines += lines;
    this.#events += events;
    this.bytes(lines * costOfLine + events * costOfEvent);
  }
}
