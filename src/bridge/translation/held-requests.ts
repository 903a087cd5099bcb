import type { Clock } from '../../core/ports.js';
import type { AskedRequest } from './asked-request.js';

/** How long a host may take to come back with what it was asked for, in milliseconds. */
const heldMs = 600_000;

const maxHeld = 64;

/** Of all that is held, beside the latest one. */
const maxHeldBytes = 16 * 1024 * 1024;

interface Held {
  readonly request: AskedRequest;
  readonly print: string;
  readonly released: AbortController;
}

/** Requests whose questions a host has been given, by the state that it gives back with its responses. */
export class HeldRequests {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #drop: (request: AskedRequest) => void;
  readonly #held = new Map<string, Held>();

  /** @param drop Ends a request whose host has not come back in time, or has left too many. */
  constructor(clock: Clock, signal: AbortSignal, drop: (request: AskedRequest) => void) {
    this.#clock = clock;
    this.#signal = signal;
    this.#drop = drop;
  }

  /** The state to give back: 256 bits that nobody can guess, good once, for a request that asks for the same. */
  hold(request: AskedRequest, print: string): string {
    const state = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const held = { request, print, released: new AbortController() };
    this.#held.set(state, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size === 1 || (this.#held.size <= maxHeld && this.#bytes <= maxHeldBytes)) break;
      this.#end(oldest);
    }
    const tooLong = this.#clock.sleep(heldMs, AbortSignal.any([this.#signal, held.released.signal]));
    void tooLong.then(
      () => this.#end(state),
      () => undefined,
    );
    return state;
  }

  take(state: string, print: string): AskedRequest | undefined {
    const held = this.#held.get(state);
    if (held === undefined || held.print !== print) return undefined;
    this.#held.delete(state);
    held.released.abort();
    return held.request;
  }

  get #bytes(): number {
    return [...this.#held.values()].reduce((sum, { request }) => sum + request.heldBytes, 0);
  }

  #end(state: string): void {
    const held = this.#held.get(state);
    this.#held.delete(state);
    held?.released.abort();
    if (held !== undefined) this.#drop(held.request);
  }
}
