import type { Clock } from '../core/ports.js';
import { clampDelay } from '../core/time.js';

/** The machine's clock. */
export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    // `node:timers/promises` does the same, and takes half a millisecond to load.
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const end = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', end);
          resolve();
        }, clampDelay(ms));
        signal.addEventListener('abort', end, { once: true });
      }),
  };
}
