import type { Lanes } from '../http/pool.js';
import type { Lane } from '../relay/connection.js';
import type { AnswerTaker, LaneRequest } from '../relay/exchange-parts.js';
import { proxyLimits } from '../relay/limits.js';
import type { AnswerHead } from '../relay/response-head.js';
import type { ExchangeParts } from './exchange-parts.js';

/** One request on one connection to the server, which may be given up and yet leave the connection fit for another. */
export class Attempt implements AnswerTaker {
  readonly #lane: Lane;
  #taker: AnswerTaker | undefined;
  #dropped = 0;
  #isStreaming = false;

  constructor(lane: Lane, taker: AnswerTaker) {
    this.#lane = lane;
    this.#taker = taker;
  }

  send(request: LaneRequest): void {
    this.#isStreaming = request.body !== null && !(request.body instanceof Uint8Array);
    this.#lane.send(request, this);
  }

  /**
   * Nobody wants the rest: a short one is read and dropped, a longer one cut off with its connection. So is one whose
   * request may still be on its way: what it took of the body would be missing in the next try.
   */
  drop(): void {
    if (this.#isStreaming) {
      this.cut();
      return;
    }
    this.#taker = undefined;
    this.resume();
    setTimeout(() => this.#lane.cut(this), proxyLimits.droppingMs).unref();
  }

  /** Ends it now, and its connection, unless it has been dropped. */
  cut(): void {
    if (this.#taker !== undefined) this.#lane.cut(this);
    this.#taker = undefined;
  }

  resume(): void {
    this.#lane.resume(this);
  }

  head(head: AnswerHead): void {
    this.#taker?.head(head);
  }

  data(chunk: Uint8Array): boolean {
    if (this.#taker !== undefined) return this.#taker.data(chunk);
    this.#dropped += chunk.byteLength;
    if (this.#dropped > proxyLimits.dropped) this.#lane.cut(this);
    return true;
  }

  end(): void {
    this.#taker?.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    this.#taker?.failed(error, unanswered);
    this.#taker = undefined;
  }
}

/** Borrows a connection to the server of a request: at once where there is one, else when it is there. */
export function borrowLane(
  { around, admitted }: ExchangeParts,
  use: (lane: Lane, lanes: Lanes<Lane>) => void,
  failed: (error: unknown) => void,
): void {
  const { places, signal } = around;
  const { url, origin } = admitted.mounted;
  const lanes = places.open(origin);
  const lane = lanes?.borrowNow('stream');
  if (lanes !== undefined && lane !== undefined) {
    use(lane, lanes);
    return;
  }
  const borrow = async () => {
    const found = await places.find(url, 'person', signal);
    use(await found.borrow('stream', signal), found);
  };
  borrow().catch(failed);
}
