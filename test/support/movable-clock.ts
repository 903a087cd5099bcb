import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from './product.js';

/** The real clock, which a test can move ahead: who sleeps meanwhile wakes as much sooner. */
export interface MovableClock extends Clock {
  /** By so many milliseconds. */
  advance(ms: number): void;
}

export function movableClock(): MovableClock {
  let shift = 0;
  const moves = new EventEmitter().setMaxListeners(0);
  const monotonic = () => performance.now() + shift;
  return {
    now: () => Date.now() + shift,
    monotonic,
    sleep: async (ms, signal) => {
      for (const until = monotonic() + ms; monotonic() < until; signal.throwIfAborted()) {
        const awake = new AbortController();
        const either = AbortSignal.any([signal, awake.signal]);
        const left = Math.ceil(until - monotonic());
        await Promise.race([wait(left, undefined, { signal: either }), once(moves, 'moved', { signal: either })]).catch(
          () => undefined,
        );
        awake.abort();
      }
    },
    advance: (ms) => {
      shift += ms;
      moves.emit('moved');
    },
  };
}
