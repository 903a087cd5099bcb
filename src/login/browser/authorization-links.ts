import type { RequestToOpen } from '../ports.js';
import { equalityTo, type Taker } from './one-time-link.js';

/** Most authorization requests of one login: whoever opens a link again and again makes the server no more work. */
const maxRequests = 64;

/** A request that was made, and for whom: the browser that took a link, or the terminal, which shows its address. */
export interface MadeRequest {
  readonly isItsState: (state: string) => boolean;
  readonly taker: Taker | undefined;
}

/**
 * The authorization requests of one login, each with its own state: an answer tells by its state which browser it
 * belongs to. They are made when somebody comes for them, since one that was pushed runs out and works once.
 */
export class Requests {
  readonly #make: () => Promise<RequestToOpen | undefined>;
  readonly #made: MadeRequest[] = [];
  #begun = 0;
  #shown: Promise<RequestToOpen | undefined> | undefined;

  constructor(make: () => Promise<RequestToOpen | undefined>) {
    this.#make = make;
  }

  /** The address for this browser: the same again at a reload, unless that works once. Undefined: the login is about to fail. */
  async addressFor(taker: Taker): Promise<string | undefined> {
    taker.request ??= this.#new(taker, () => {
      taker.request = undefined;
    });
    return (await taker.request)?.url;
  }

  /** The address for the terminal. */
  async addressToShow(): Promise<string | undefined> {
    this.#shown ??= this.#new(undefined, () => {
      this.#shown = undefined;
    });
    return (await this.#shown)?.url;
  }

  /** The request that has this state. */
  find(state: string): MadeRequest | undefined {
    return this.#made.find(({ isItsState }) => isItsState(state));
  }

  /** `forget` is called where the request is no good for the next who comes. */
  async #new(taker: Taker | undefined, forget: () => void): Promise<RequestToOpen | undefined> {
    try {
      if (this.#begun >= maxRequests) throw new Error('this login has made too many authorization requests');
      this.#begun += 1;
      const made = await this.#make();
      if (made === undefined) return undefined;
      if (!/^https?:\/\/[\x21-\x7e]+$/.test(made.url)) {
        throw new Error('an authorization request is an http or https URL');
      }
      this.#made.push({ isItsState: equalityTo(made.state.reveal()), taker });
      if (made.once) forget();
      return made;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
