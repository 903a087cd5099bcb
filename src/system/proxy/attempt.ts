import type { Dispatcher } from 'undici';
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

/** One request on one connection to the server. Whatever way it ends, the connection is given back, or closed. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #lent: BorrowedLane;
  readonly #place: Place;
  #taker: AnswerTaker | undefined;
  #controller: Dispatcher.DispatchController | undefined;
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
    if (this.#controller?.paused === true) this.#controller.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#over) return;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > proxyLimits.informational) {
        this.#fail(networkFailed({ ...this.#place, code: 'informational_flood' }), false);
      }
      return;
    }
    this.#began = true;
    this.#taker?.head(status, textOf(controller.rawHeaders));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#taker === undefined) {
      this.#dropped += chunk.byteLength;
      if (this.#dropped > proxyLimits.dropped) this.#close();
    } else if (!this.#taker.data(chunk)) {
      controller.pause();
    }
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.#lent.release();
    this.#taker?.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
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

function textOf(raw: unknown): readonly string[] {
  return Array.isArray(raw) ? raw.map((part) => (part as Buffer).toString('latin1')) : [];
}
