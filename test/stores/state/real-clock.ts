import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../support/product.js';

/** The machine's clock, for tests in which real processes wait for each other. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    wait(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    }),
};
