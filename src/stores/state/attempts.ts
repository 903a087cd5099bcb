import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../core/ports.js';
import { asObject, parseJson } from '../../core/text/json.js';
import type { Attempts, Locks } from '../ports.js';
import { stateUnsafe } from '../state-failures.js';
import { readPrivateFile } from './private-file.js';
import { replacePrivateFile } from './safe-file.js';

/** An hour, in milliseconds: after it an attempt no longer counts. */
const windowMs = 3_600_000;

const maxBytes = 1_048_576;

const lockWaitMs = 10_000;

type Times = Readonly<Record<string, readonly number[]>>;

/**
 * Attempts of the last hour, in a small file of `directory`, shared by every process. Names stand there as hashes: the
 * file outlives a logout, and is to tell nobody which servers there were. What stands there in the future
 * (the clock was set back) counts as made now: setting the clock back neither frees anybody nor locks him out for long.
 */
export function createAttempts(options: {
  readonly directory: string;
  readonly locks: Locks;
  readonly clock: Clock;
}): Attempts {
  const { locks, clock } = options;
  const path = join(options.directory, 'attempts.json');
  const change = async <T>(work: (times: Times) => readonly [Times, T]): Promise<T> => {
    const { signal } = new AbortController();
    await using _lock = await locks.acquire('attempts', { waitMs: lockWaitMs, signal });
    const before = recent(readTimes(path), clock.now());
    const [after, result] = work(before);
    if (after !== before) {
      await replacePrivateFile(path, JSON.stringify({ version: 1, attempts: after }));
    }
    return result;
  };
  return {
    take: (what, most, withinMs = windowMs) =>
      change((times) => {
        const name = hashed(what);
        const made = times[name] ?? [];
        const counted = made.filter((time) => clock.now() - time < withinMs);
        return counted.length >= most
          ? ([times, false] as const)
          : ([{ ...times, [name]: [...made, clock.now()] }, true] as const);
      }),
    allows: (what, most) => change((times) => [times, (times[hashed(what)] ?? []).length < most] as const),
    forget: async (what) => {
      if (readTimes(path)[hashed(what)] === undefined) return; // the usual case needs no lock
      await change((times) => {
        const { [hashed(what)]: made, ...rest } = times;
        return made === undefined ? ([times, undefined] as const) : ([rest, undefined] as const);
      });
    },
  };
}

function hashed(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

function recent(times: Times, now: number): Times {
  const kept = Object.entries(times)
    .map(
      ([name, made]) =>
        [name, made.map((time) => Math.min(time, now)).filter((time) => now - time < windowMs)] as const,
    )
    .filter(([, made]) => made.length > 0);
  return Object.fromEntries(kept);
}

/** A file that is not understood counts as none: it holds nothing that anybody would miss. */
function readTimes(path: string): Times {
  const file = readPrivateFile(path, maxBytes);
  if (!file.ok) {
    if (file.problem === 'absent') return {};
    throw stateUnsafe(path, file.why);
  }
  const parsed = parseJson(file.bytes, { maxKeys: 100_000 });
  const attempts = parsed.ok ? asObject(asObject(parsed.value)?.['attempts']) : undefined;
  const lists = Object.entries(attempts ?? {}).flatMap(([name, list]) =>
    Array.isArray(list) ? [[name, list.filter((time) => typeof time === 'number')] as const] : [],
  );
  return Object.fromEntries(lists) as Times;
}
