import { forgetOldest } from './one-time.js';

/** Most keys remembered; the ones untouched for longest are forgotten first. */
const maxKeys = 1000;

/** How often something may be done: so many times in a sliding window, for each key by itself. */
export class Allowance {
  readonly max: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #times = new Map<string, readonly number[]>();

  /** @param now milliseconds since the epoch */
  constructor(max: number, windowMs: number, now: () => number) {
    this.max = max;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Whether there is nothing left of it at the moment. */
  isSpent(key: string): boolean {
    return this.#recent(key).length >= this.max;
  }

  /** Counts one time. */
  take(key: string): void {
    const times = [...this.#recent(key), this.#now()].slice(-this.max);
    this.#times.delete(key);
    this.#times.set(key, times);
    forgetOldest(this.#times, maxKeys);
  }

  #recent(key: string): readonly number[] {
    const since = this.#now() - this.#windowMs;
    return (this.#times.get(key) ?? []).filter((at) => at > since);
  }
}
