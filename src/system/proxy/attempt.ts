import { networkFailed } from '../../errors/network.js';
import type { BorrowedLane } from '../http/lanes.js';
import { failureOf, isBrokenOff } from '../http/network-cause.js';
import type { Place } from '../http/place.js';
import { proxyLimits } from './limits.js';

/** What is made of one answer of the server, as it comes. */
export interface AnswerTaker {
  /** @param raw names and values in turn */
  head(status: number, raw: readonly string[]): void;
  /** False: no more for now, until `resume` is called on the attempt. */
  data(chunk: Uint8Array): boolean;
  end(): void;
  /** `unanswered`: the connection, an old one, ended before any byte of an answer. */
  failed(error: unknown, unanswered: boolean): void;
}

/**
 * One request on one connection to the server, as undici's connection class reports it in its own, shortest form.
 * Whatever way it ends, the connection is given back, or closed.
 */
export class Attempt {
  readonly #lent: BorrowedLane;
  readonly #place: Place;
  #taker: AnswerTaker | undefined;
  #resume: () => void = () => undefined;
  #paused = false;
  #informational = 0;
  #began = false;
  #over = false;
  #dropped = 0;

  constructor(lent: BorrowedLane, place: Place, taker: AnswerTaker) {
    this.#lent = lent;
    this.#place = place;
    this.#taker = taker;
  }

  /** Nobody wants the rest: a short one is read and dropped, a longer one cut off with its connection. */
  drop(): void {
    this.#taker = undefined;
    this.resume();
    if (!this.#over) setTimeout(() => this.#close(), proxyLimits.droppingMs).unref();
  }

  /** Ends it now, and its connection, unless it has been dropped. */
  cut(): void {
    if (this.#taker !== undefined) this.#close();
    this.#taker = undefined;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    // Not at once: this may be called while another connection's bytes are parsed, and undici has one parser for all.
    queueMicrotask(() => {
      if (!this.#paused && !this.#over) this.#resume();
    });
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#over) abort(new Error('The answer is not wanted.'));
  }

  onHeaders(status: number, raw: readonly Uint8Array[], resume: () => void): boolean {
    if (this.#over) return true;
    this.#resume = resume;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > proxyLimits.informational) {
        this.#fail(networkFailed({ ...this.#place, code: 'informational_flood' }), false);
      }
      return true;
    }
    this.#began = true;
    this.#taker?.head(status, raw.map(textOf));
    return true;
  }

  onData(chunk: Uint8Array): boolean {
    if (this.#over) return true;
    if (this.#taker === undefined) {
      this.#dropped += chunk.byteLength;
      if (this.#dropped > proxyLimits.dropped) this.#close();
      return true;
    }
    this.#paused = !this.#taker.data(chunk);
    return !this.#paused;
  }

  onComplete(): void {
    if (this.#over) return;
    this.#over = true;
    this.#lent.release();
    this.#taker?.end();
  }

  onError(error: Error): void {
    const unanswered = isBrokenOff(error) && !this.#began && this.#informational === 0;
    this.#fail(failureOf(error, this.#place), unanswered && this.#lent.lane.reused);
  }

  #fail(error: unknown, unanswered: boolean): void {
    if (this.#over) return;
    this.#close();
    this.#taker?.failed(error, unanswered);
    this.#taker = undefined;
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    void this.#lent.lane[Symbol.asyncDispose]();
    this.#lent.release();
  }
}

function textOf(part: Uint8Array): string {
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1');
}
