import { createHash } from 'node:crypto';
import type { Clock } from '../../core/ports.js';
import { asObject, type JsonValue } from '../../core/text/json.js';
import type { Attempts, Locks } from '../ports.js';
import { smallFile } from './small-files.js';

/** An hour, in milliseconds: after it an attempt no longer counts. */
const windowMs = 3_600_000;

type Times = Readonly<Record<string, readonly number[]>>;

/**
 * Attempts of the last hour, shared by every process. Names are hashed: the file outlives a logout, and is not to show
 * which servers there were. Times in the future (the clock was set back) count as now.
 */
export function createAttempts(options: {
  readonly directory: string;
  readonly locks: Locks;
  readonly clock: Clock;
}): Attempts {
  const { clock } = options;
  const file = smallFile('attempts', options, (entries) => recent(entries, clock.now()));
  return {
    take: async (what, max, withinMs = windowMs) => {
      const name = hashed(what);
      let isTaken = false;
      await file.update((times) => {
        const made = times[name] ?? [];
        isTaken = made.filter((time) => clock.now() - time < withinMs).length < max;
        return isTaken ? { ...times, [name]: [...made, clock.now()] } : times;
      });
      return isTaken;
    },
    allows: async (what, max) => (file.read()[hashed(what)] ?? []).length < max,
    forget: async (what) => {
      const name = hashed(what);
      if (file.read()[name] === undefined) return; // the usual case needs no lock
      await file.update(({ [name]: _, ...others }) => others);
    },
  };
}

function hashed(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

function recent(entries: JsonValue | undefined, now: number): Times {
  const lists = Object.entries(asObject(entries) ?? {}).map(([name, list]) => {
    const times = Array.isArray(list) ? list.filter((time) => typeof time === 'number') : [];
    return [name, times.map((time) => Math.min(time, now)).filter((time) => now - time < windowMs)] as const;
  });
  return Object.fromEntries(lists.filter(([, made]) => made.length > 0));
}
