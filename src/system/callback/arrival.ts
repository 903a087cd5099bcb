/** Something that comes, or fails to, at most once; what came first stays, whoever asks and when. */
export class Arrival<Value> {
  readonly #promise: Promise<Value>;
  #resolve: (value: Value) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor() {
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail before, or without, anybody asking.
    this.#promise.catch(() => {});
  }

  succeed(value: Value): void {
    this.#resolve(value);
  }

  fail(reason: unknown): void {
    this.#reject(reason);
  }

  /** @throws what it failed with, or the signal's reason */
  async wait(signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    let stop = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([this.#promise, aborted]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
