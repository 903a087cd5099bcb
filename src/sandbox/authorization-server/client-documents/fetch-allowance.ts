const windowMs = 60_000;
const mostInWindow = 60;
/** Most addresses remembered; by then the window of the oldest has long been over. */
const mostAddresses = 1000;

/**
 * How often this server connects to one address, whatever names lead there and whatever comes back: strangers
 * choose what it fetches, and must not be able to make it hammer somebody. 60 times in a minute.
 */
export class FetchAllowance {
  readonly #visits = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one visit to each. @throws Error when one of them has been visited too often */
  take(addresses: readonly string[]): void {
    const since = this.#now() - windowMs;
    const recent = addresses.map((address) => ({
      address,
      visits: (this.#visits.get(address) ?? []).filter((at) => at > since),
    }));
    if (recent.some(({ visits }) => visits.length >= mostInWindow)) throw new Error('asked too often');
    for (const { address, visits } of recent) {
      this.#visits.delete(address);
      this.#visits.set(address, [...visits, this.#now()]);
    }
    for (const [oldest] of this.#visits) {
      if (this.#visits.size <= mostAddresses) break;
      this.#visits.delete(oldest);
    }
  }
}
