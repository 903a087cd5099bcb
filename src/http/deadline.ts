import { setMaxListeners } from 'node:events';
import { requestInterrupted, timedOut } from './failures.js';

/**
 * The end of a whole request: look-up, connection, headers and body together, redirects included. Its
 * signal is aborted when the time is over, when the caller's signal is, or when the client closes.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #release: () => void;

  /** @param totalMs null: no limit in time, for streams */
  constructor(host: string, totalMs: number | null, caller: AbortSignal, closing: AbortSignal) {
    const byCaller = (): void => this.#controller.abort(caller.reason);
    const byClient = (): void => this.#controller.abort(requestInterrupted(host));
    const byTime = (): void =>
      this.#controller.abort(timedOut(host, 'the whole request, with its answer', totalMs ?? 0));
    // Many requests may share one signal; each listener goes with its request.
    setMaxListeners(0, caller, closing);
    if (caller.aborted) byCaller();
    if (closing.aborted) byClient();
    caller.addEventListener('abort', byCaller, { once: true });
    closing.addEventListener('abort', byClient, { once: true });
    const timer = totalMs === null ? undefined : patientTimer(totalMs, byTime);
    this.#release = (): void => {
      timer?.stop();
      caller.removeEventListener('abort', byCaller);
      closing.removeEventListener('abort', byClient);
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

/** Longest delay that `setTimeout` takes; beyond it, it fires at once. */
const maxDelay = 2 ** 31 - 1;

/**
 * Runs `work` under a limit in milliseconds and the caller's signal: its own signal is aborted with
 * what `late` makes, or with the caller's reason, and the promise rejects then, whether or not the work
 * notices.
 * @throws what `late` makes, the reason of `signal`, or what the work throws
 */
export async function withTimeLimit<T>(
  limit: { readonly milliseconds: number; readonly late: () => Error; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  limit.signal.throwIfAborted();
  const inner = new AbortController();
  const follow = (): void => inner.abort(limit.signal.reason);
  limit.signal.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => inner.abort(limit.late()), clampDelay(limit.milliseconds));
  try {
    return await Promise.race([rejection(inner.signal), work(inner.signal)]);
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', follow);
  }
}

/** A delay that `setTimeout` takes as it is meant: NaN and negative are 0, too long is the longest. */
export function clampDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0) || 0, maxDelay);
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export interface PatientTimer {
  /** Begins the whole time anew, if it still runs. */
  restart(): void;
  stop(): void;
}

/** A timer that goes off so late tells that this process was paused, or the machine asleep. */
const pausedMs = 1_000;

/** An answer that came meanwhile has this long to be read: it may hold a refresh token, which is not given twice. */
const graceMs = 5_000;

/** Calls `late` after so many milliseconds, of which those are not counted in which this process could not run. */
export function patientTimer(milliseconds: number, late: () => void): PatientTimer {
  const delay = clampDelay(milliseconds);
  let due = performance.now() + delay;
  let timer = setTimeout(expire, delay);
  function expire(): void {
    if (performance.now() - due < pausedMs) late();
    else timer = setTimeout(late, graceMs);
  }
  return {
    restart: () => {
      due = performance.now() + delay;
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}
