import { interrupted } from '../../core/output-failures.js';
import type { Signals } from '../../core/ports.js';
import type { DuringTask } from './follow-task.js';

/**
 * What ends a call: all of it at once, but while the server runs a task for it, Ctrl-C and the time limit end that task
 * first, so that the server can be told. A second Ctrl-C ends everything.
 */
export class CallEnding {
  readonly #signals: Signals;
  readonly #all = new AbortController();
  #task: AbortController | undefined;
  /** Ends the conversation. */
  readonly signal: AbortSignal;

  /** @param ends The end of the program. @param deadline That of the call alone. */
  constructor(signals: Signals, ends: AbortSignal, deadline: AbortSignal) {
    this.#signals = signals;
    this.signal = AbortSignal.any([ends, this.#all.signal]);
    const expire = () => (this.#task ?? this.#all).abort(deadline.reason);
    deadline.addEventListener('abort', expire, { once: true });
  }

  readonly duringTask: DuringTask = () => {
    const task = new AbortController();
    this.#task = task;
    const taken = this.#signals.take((signal) => {
      if (signal !== 'SIGINT' || task.signal.aborted) return false;
      task.abort(interrupted());
      return true;
    });
    return {
      signal: task.signal,
      [Symbol.dispose]: () => {
        taken[Symbol.dispose]();
        this.#task = undefined;
      },
    };
  };
}
