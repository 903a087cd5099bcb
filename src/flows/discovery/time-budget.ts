import type { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';

/** Time that several waits share: what one has taken, the next has not. What happens between them is free. */
export class TimeBudget {
  readonly #clock: Ports['clock'];
  readonly #failure: () => Failure;
  #leftMs: number;

  /** @param failure what a wait ends with when the time is up */
  constructor(clock: Ports['clock'], ms: number, failure: () => Failure) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#failure = failure;
  }

  /** Does work that keeps to the signal it is given. @throws the budget's failure, or what the work throws */
  async spend<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const timeUp = new AbortController();
    const done = new AbortController();
    const began = this.#clock.monotonic();
    void this.#clock.sleep(this.#leftMs, AbortSignal.any([signal, done.signal])).then(
      () => timeUp.abort(this.#failure()),
      () => undefined,
    );
    try {
      return await work(AbortSignal.any([signal, timeUp.signal]));
    } catch (error) {
      // Made anew, so that it quotes the steps that were cut short too.
      throw timeUp.signal.aborted && !signal.aborted ? this.#failure() : error;
    } finally {
      done.abort();
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - began));
    }
  }
}
