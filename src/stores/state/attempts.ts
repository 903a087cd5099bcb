import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../core/ports.js';
import { asObject, parseObject } from '../../core/text/json.js';
import type { Attempts, Locks } from '../ports.js';
import { readIfThere } from './private-file.js';
import { type StateFile, updateStateFile } from './safe-file.js';

/** An hour, in milliseconds: after it an attempt no longer counts. */
const windowMs = 3_600_000;

const maxBytes = 1_048_576;

type Times = Readonly<Record<string, readonly number[]>>;

/**
 * Attempts of the last hour, in a small file of `directory`, shared by every process. Names are hashed: the file outlives
 * a logout, and is not to show which servers there were. Times in the future (the clock was set back) count as now.
 */
export function createAttempts(options: {
  readonly directory: string;
  readonly locks: Locks;
  readonly clock: Clock;
}): Attempts {
  const { directory, locks, clock } = options;
  const path = join(directory, 'attempts.json');
  const file: StateFile<Times> = {
    path,
    locks,
    lock: 'attempts',
    waitMs: 10_000,
    read: () => recent(readTimes(path), clock.now()),
    textOf: (attempts) => JSON.stringify({ version: 1, attempts }),
  };
  return {
    take: async (what, max, withinMs = windowMs) => {
      const name = hashed(what);
      let isTaken = false;
      await updateStateFile(file, (times) => {
        const made = times[name] ?? [];
        isTaken = made.filter((time) => clock.now() - time < withinMs).length < max;
        return isTaken ? { ...times, [name]: [...made, clock.now()] } : times;
      });
      return isTaken;
    },
    allows: async (what, max) => (file.read()[hashed(what)] ?? []).length < max,
    forget: async (what) => {
      const name = hashed(what);
      if (readTimes(path)[name] === undefined) return; // the usual case needs no lock
      await updateStateFile(file, ({ [name]: _, ...others }) => others);
    },
  };
}

function hashed(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

function recent(times: Times, now: number): Times {
  const lists = Object.entries(times).map(([name, made]) => {
    const past = made.map((time) => Math.min(time, now));
    return [name, past.filter((time) => now - time < windowMs)] as const;
  });
  return Object.fromEntries(lists.filter(([, made]) => made.length > 0));
}

/** A file that is not understood counts as none. */
function readTimes(path: string): Times {
  const file = readIfThere(path, maxBytes);
  const attempts = file && asObject(parseObject(file.bytes, { maxKeys: 100_000 })?.['attempts']);
  const lists = Object.entries(attempts ?? {}).map(([name, list]) => [name, Array.isArray(list) ? list : []] as const);
  return Object.fromEntries(lists.map(([name, list]) => [name, list.filter((time) => typeof time === 'number')]));
}
