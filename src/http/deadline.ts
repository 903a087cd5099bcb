import { setMaxListeners } from 'node:events';
import { clampDelay, unlessAborted } from '../core/time.js';

export interface Deadline {
  /** Aborted by whichever comes first; not any more once the deadline is closed. */
  readonly signal: AbortSignal;
  close(): void;
}

/**
 * A limit in time, and signals that end the work before it.
 * @param ms null: no limit
 * @param signals Each with what makes the reason to abort with; not given: the signal's own reason
 */
export function startDeadline(
  ms: number | null,
  failure: () => Error,
  signals: readonly (readonly [signal: AbortSignal, reason?: () => Error])[],
): Deadline {
  const controller = new AbortController();
  const timer = ms === null ? undefined : patientTimer(ms, () => controller.abort(failure()));
  const followed = signals.map(([signal, reason = () => signal.reason]) => {
    const abort = (): void => controller.abort(reason());
    setMaxListeners(0, signal); // many requests may share one
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return { signal, abort };
  });
  return {
    signal: controller.signal,
    close: () => {
      timer?.stop();
      for (const { signal, abort } of followed) signal.removeEventListener('abort', abort);
    },
  };
}

/**
 * Runs `work` under a limit in milliseconds and the caller's signal. When either ends it, its own signal is aborted and
 * the promise rejects, whether or not the work notices.
 * @throws what `failure` makes, the reason of `caller`, or what the work throws
 */
export async function withTimeLimit<T>(
  ms: number,
  failure: () => Error,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller.throwIfAborted();
  const { signal, close } = startDeadline(ms, failure, [[caller]]);
  try {
    return await unlessAborted(work(signal), signal);
  } finally {
    close();
  }
}

export interface PatientTimer {
  /** Begins the whole time anew, if it still runs. */
  restart(): void;
  stop(): void;
}

/** A timer that goes off so late tells that this process was paused, or the machine asleep. In milliseconds. */
const pausedMs = 1_000;

/** A response that came meanwhile has this long to be read: it may hold a refresh token, which is not given twice. */
const graceMs = 5_000;

/** Calls `expired` after so many milliseconds; those in which this process could not run are not counted. */
export function patientTimer(milliseconds: number, expired: () => void): PatientTimer {
  const delay = clampDelay(milliseconds);
  let due = performance.now() + delay;
  let timer = setTimeout(check, delay);
  function check(): void {
    if (performance.now() - due < pausedMs) expired();
    else timer = setTimeout(expired, graceMs);
  }
  return {
    restart: () => {
      due = performance.now() + delay;
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}
