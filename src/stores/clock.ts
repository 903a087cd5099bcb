import type { Clock } from '../core/ports.js';
import { clampDelay } from '../core/time.js';

/** The machine's clock. */
export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const stop = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', stop);
          resolve();
        }, clampDelay(ms));
        signal.addEventListener('abort', stop, { once: true });
      }),
  };
}
