/** Work that is done once for all who want it at the same time; each of them can give up by himself. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>();

  /**
   * Joins the work of that name that is under way, else begins it; it goes on though who began it gives up.
   * @throws what the work throws, or the signal's reason
   */
  async run(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    let flight = this.#flights.get(name);
    if (flight === undefined) {
      flight = work().finally(() => this.#flights.delete(name));
      flight.catch(() => undefined); // nobody may be left who wants it
      this.#flights.set(name, flight);
    }
    return await unlessAborted(flight, signal);
  }
}

async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
