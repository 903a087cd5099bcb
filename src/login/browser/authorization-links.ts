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
 * The authorization requests of one login, each with its own state: a response tells by its state which browser it
 * belongs to. They are made when somebody comes for them, since one that was pushed runs out and works once.
 */
export class Requests {
  readonly #newRequest: () => Promise<RequestToOpen | undefined>;
  readonly #made: MadeRequest[] = [];
  readonly #terminal: Pick<Taker, 'request'> = {};
  #begun = 0;

  constructor(newRequest: () => Promise<RequestToOpen | undefined>) {
    this.#newRequest = newRequest;
  }

  /**
   * The address for this browser, or for the terminal: the same again at a reload, unless that works once. Undefined: the
   * login is about to fail.
   */
  async addressFor(taker: Taker | undefined): Promise<string | undefined> {
    const visitor = taker ?? this.#terminal;
    visitor.request ??= this.#make(taker);
    try {
      const made = await visitor.request;
      if (made?.once) visitor.request = undefined;
      return made?.url;
    } catch (error) {
      visitor.request = undefined;
      throw error;
    }
  }

  /** The request that has this state. */
  find(state: string): MadeRequest | undefined {
    return this.#made.find(({ isItsState }) => isItsState(state));
  }

  async #make(taker: Taker | undefined): Promise<RequestToOpen | undefined> {
    if (this.#begun >= maxRequests) throw new Error('this login has made too many authorization requests');
    this.#begun += 1;
    const made = await this.#newRequest();
    if (made === undefined) return undefined;
    if (!/^https?:\/\/[\x21-\x7e]+$/.test(made.url))
      throw new Error('an authorization request is an http or https URL');
    this.#made.push({ isItsState: equalityTo(made.state.reveal()), taker });
    return made;
  }
}
