/** Longest delay that `setTimeout` takes; beyond it, it fires at once. */
const longestDelay = 2 ** 31 - 1;

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
  return Math.min(Math.max(milliseconds, 0) || 0, longestDelay);
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
