/** Most keys remembered; the ones untouched for longest are forgotten first. */
const mostKeys = 1000;

/** How often something may be done: so many times in a sliding window, for each key by itself. */
export class Allowance {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #times = new Map<string, readonly number[]>();

  /** @param now milliseconds since the epoch */
  constructor(most: number, windowMs: number, now: () => number) {
    this.#most = most;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Whether there is nothing left of it at the moment. */
  isSpent(key: string): boolean {
    return this.#recent(key).length >= this.#most;
  }

  /** Counts one time. */
  take(key: string): void {
    const times = [...this.#recent(key), this.#now()].slice(-this.#most);
    this.#times.delete(key);
    this.#times.set(key, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > mostKeys && oldest !== undefined) this.#times.delete(oldest);
  }

  #recent(key: string): readonly number[] {
    const since = this.#now() - this.#windowMs;
    return (this.#times.get(key) ?? []).filter((at) => at > since);
  }
}
