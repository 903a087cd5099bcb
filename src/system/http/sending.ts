import { networkFailed, timedOut } from '../../errors/network.js';
import type { WireExchange, WireRequest, WireWatcher } from '../../ports/bridging.js';
import type { AnswerHead } from '../../primitives/http1/answer-head.js';
import type { AnswerTaker, LaneRequest } from './answer-taker.js';
import type { Lane } from './lane.js';

/** One request of the quick wire, from before it has a connection to the end of its answer. */
export class Sending implements WireExchange, AnswerTaker {
  isOver = false;
  readonly #request: WireRequest;
  readonly #watcher: WireWatcher;
  /** Called when the head is there, or will not come. */
  readonly #headed: (sending: this) => void;
  #lane: Lane | undefined;
  #isPaused = false;
  #waitedMs = 0;
  #lookedAt = performance.now();

  constructor(request: WireRequest, watcher: WireWatcher, headed: (sending: Sending) => void) {
    this.#request = request;
    this.#watcher = watcher;
    this.#headed = headed;
  }

  sendOn(lane: Lane, request: LaneRequest): void {
    this.#lane = lane;
    lane.send(request, this);
    if (this.#isPaused) lane.pause(this);
  }

  /** Counts the time that this process ran; not that of a machine that was asleep. */
  look(now: number, atMost: number): void {
    this.#waitedMs += Math.min(now - this.#lookedAt, 2 * atMost);
    this.#lookedAt = now;
    const { headersMs, url } = this.#request;
    if (this.#waitedMs < headersMs) return;
    this.failed(timedOut(new URL(url).host, 'sending the headers of its answer', headersMs), false);
  }

  pause(): void {
    this.#isPaused = true;
    this.#lane?.pause(this);
  }

  resume(): void {
    this.#isPaused = false;
    this.#lane?.resume(this);
  }

  abort(): void {
    if (this.isOver) return;
    this.#finish();
    this.#lane?.cut(this);
  }

  head({ status, lines }: AnswerHead): void {
    if (this.isOver) return;
    this.#headed(this);
    const header = (name: string): readonly string[] => valuesOf(lines, name);
    if (header('content-encoding').some((coding) => !/^(?:identity)?$/i.test(coding))) {
      const { host, port } = new URL(this.#request.url);
      this.failed(networkFailed({ host, port: Number(port), code: 'unwanted_coding' }), false);
      return;
    }
    this.#watcher.head(status, header);
  }

  data(chunk: Uint8Array): boolean {
    // A copy: what comes is kept, and the connection reads into the same memory again.
    if (!this.isOver) this.#watcher.data(Buffer.from(chunk));
    return !this.#isPaused;
  }

  end(): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    if (this.isOver) return;
    this.#finish();
    this.#lane?.cut(this);
    this.#watcher.failed(error, unanswered);
  }

  #finish(): void {
    this.isOver = true;
    this.#headed(this);
  }
}

/** The values of one header, whose name is given in lower case. */
function valuesOf(lines: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const key = lines[at] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) values.push(lines[at + 1] ?? '');
  }
  return values;
}
