import { setMaxListeners } from 'node:events';
import { clampDelay, unlessAborted } from '../core/time.js';

/** A signal that any of `signals` aborts, with its reason, and so does the time limit, if any, until it is disposed of. */
export function startDeadline(
  time: { readonly ms: number; readonly failure: () => Error } | undefined,
  signals: readonly AbortSignal[],
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = time && patientTimer(time.ms, () => controller.abort(time.failure()));
  const abort = (): void => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) {
    setMaxListeners(0, signal); // many requests may share one
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      timer?.stop();
      for (const signal of signals) signal.removeEventListener('abort', abort);
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
  using limit = startDeadline({ ms, failure }, [caller]);
  return await unlessAborted(work(limit.signal), limit.signal);
}

/** A timer that fires so late shows that this process was paused, or the machine asleep. In milliseconds. */
const pausedMs = 1_000;

/** Time to read a response that came meanwhile: it may hold a refresh token, which no server issues twice. */
const graceMs = 5_000;

/** Calls `expired` after so many milliseconds, not counting those in which this process could not run. */
export function patientTimer(milliseconds: number, expired: () => void) {
  const delay = clampDelay(milliseconds);
  let due = performance.now() + delay;
  let timer = setTimeout(check, delay);
  function check(): void {
    if (performance.now() - due < pausedMs) expired();
    else timer = setTimeout(expired, graceMs);
  }
  return {
    /** Starts the whole time again. */
    restart: () => {
      due = performance.now() + delay;
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}
