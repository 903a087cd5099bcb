import { networkFailed, timedOut } from '../../errors/network.js';
import type { WireExchange, WireRequest, WireWatcher } from '../../ports/bridging.js';
import type { AnswerHead } from '../../primitives/http1/answer-head.js';
import { mediaTypeIs } from '../../primitives/media-type.js';
import type { Listed } from '../../primitives/roster.js';
import type { AnswerTaker } from './answer-taker.js';
import type { Lane } from './lane.js';
import { codingOf, Unpacking } from './unpacking.js';

/** One request of the quick wire, from before it has a connection to the end of its answer. */
export class Sending implements WireExchange, AnswerTaker, Listed {
  listedAt = -1;
  isOver = false;
  readonly #request: WireRequest;
  readonly #watcher: WireWatcher;
  /** Called when the head is there, or will not come. */
  readonly #headed: (sending: this) => void;
  #lane: Lane | undefined;
  #unpacking: Unpacking | undefined;
  #isPaused = false;
  #waitedMs = 0;
  #lookedAt = performance.now();

  constructor(request: WireRequest, watcher: WireWatcher, headed: (sending: Sending) => void) {
    this.#request = request;
    this.#watcher = watcher;
    this.#headed = headed;
  }

  sendOn(lane: Lane, target: string, headers: readonly string[]): void {
    const { method, body = null } = this.#request;
    this.#lane = lane;
    lane.send({ method, target, headers, body }, this);
    if (this.#isPaused) lane.pause(this);
  }

  /** Counts the time that this process ran; not that of a machine that was asleep. */
  look(now: number, atMost: number): void {
    this.#waitedMs += Math.min(now - this.#lookedAt, 2 * atMost);
    this.#lookedAt = now;
    const { headersMs, url } = this.#request;
    if (this.#waitedMs < headersMs) return;
    const what =
      this.#lane === undefined ? 'answering the requests before' : 'sending the headers of its answer';
    this.failed(timedOut(new URL(url).host, what, headersMs), false);
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#unpacking === undefined) this.#lane?.pause(this);
    else this.#unpacking.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#unpacking?.resume();
    this.#lane?.resume(this);
  }

  abort(): void {
    if (!this.isOver) this.#finish();
  }

  head({ status, lines }: AnswerHead): void {
    if (this.isOver) return;
    this.#headed(this);
    const header = (name: string): readonly string[] => valuesOf(lines, name);
    const coding = codingOf(header('content-encoding'));
    if (coding === 'unknown') {
      this.#fail('unwanted_coding');
      return;
    }
    if (coding !== undefined) this.#unpacking = this.#unpack(coding);
    if (mediaTypeIs(header('content-type')[0], 'text/event-stream')) this.#lane?.stands(this);
    this.#watcher.head(status, header);
  }

  data(chunk: Uint8Array): boolean {
    if (this.isOver) return true;
    // What is unpacked is kept meanwhile, and the connection reads into the same memory again.
    if (this.#unpacking !== undefined) return this.#unpacking.push(Buffer.from(chunk));
    this.#watcher.data(chunk);
    return !this.#isPaused;
  }

  end(): void {
    if (this.isOver) return;
    if (this.#unpacking === undefined) this.#end();
    else this.#unpacking.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.failed(error, unanswered);
  }

  #unpack(coding: ConstructorParameters<typeof Unpacking>[0]): Unpacking {
    return new Unpacking(coding, {
      data: (chunk) => {
        if (!this.isOver) this.#watcher.data(chunk);
      },
      end: () => this.#end(),
      damaged: () => this.#fail('damaged_coding'),
      drained: () => this.#lane?.resume(this),
    });
  }

  #end(): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.end();
  }

  #fail(code: string): void {
    const { hostname: host, port, protocol } = new URL(this.#request.url);
    const usualPort = protocol === 'https:' ? 443 : 80;
    this.failed(networkFailed({ host, port: Number(port) || usualPort, code }), false);
  }

  #finish(): void {
    this.isOver = true;
    this.#headed(this);
    this.#unpacking?.stop();
    this.#lane?.cut(this);
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
