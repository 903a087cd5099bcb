import type { Failure } from '../errors/failure.js';

/** A time limit for the peer, which stands still while a person is asked. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #failure: () => Failure;
  #timer: NodeJS.Timeout | undefined;

  /** @param ms Milliseconds, at most a day. @param failure What the signal's reason is when time is up. */
  constructor(ms: number, failure: () => Failure) {
    this.#ms = ms;
    this.#failure = failure;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  restart(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#controller.abort(this.#failure()), this.#ms);
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}
