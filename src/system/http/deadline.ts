import { setMaxListeners } from 'node:events';
import { requestInterrupted, timedOut } from '../../errors/network.js';
import { patientTimer } from './patient-timer.js';

/**
 * The end of a whole request: look-up, connection, headers and body together, redirects included. Its
 * signal is aborted when the time is over, when the caller's signal is, or when the door closes.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #release: () => void;

  /** @param totalMs null: no limit in time, for streams */
  constructor(host: string, totalMs: number | null, caller: AbortSignal, closing: AbortSignal) {
    const byCaller = (): void => this.#controller.abort(caller.reason);
    const byDoor = (): void => this.#controller.abort(requestInterrupted(host));
    const byTime = (): void =>
      this.#controller.abort(timedOut(host, 'the whole request, with its answer', totalMs ?? 0));
    // Many requests may share one signal; each listener goes with its request.
    setMaxListeners(0, caller, closing);
    if (caller.aborted) byCaller();
    if (closing.aborted) byDoor();
    caller.addEventListener('abort', byCaller, { once: true });
    closing.addEventListener('abort', byDoor, { once: true });
    const timer = totalMs === null ? undefined : patientTimer(totalMs, byTime);
    this.#release = (): void => {
      timer?.stop();
      caller.removeEventListener('abort', byCaller);
      closing.removeEventListener('abort', byDoor);
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on nothing aborts the signal. */
  close(): void {
    this.#release();
  }
}
