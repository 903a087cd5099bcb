import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../core/ports.js';
import { clampDelay } from '../core/time.js';

/** The machine's clock. */
export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: async (ms, signal) => {
      await setTimeout(clampDelay(ms), undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    },
  };
}
