import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../core/ports.js';
import type { FormatFailure } from '../../core/records.js';
import { asObject, type JsonValue, parseObject } from '../../core/text/json.js';
import { isText, isWhole, objectOf } from '../checks.js';
import { readIfThere } from '../private-file.js';
import type { Locks } from './locks.js';
import { stateFile } from './safe-file.js';

/** The small files of the state folder: how large one may be, and how long a change waits for its lock. */
export const smallFiles = {
  attempts: { maxBytes: 1_048_576, waitMs: 10_000 },
  // Another program, or a person who types, waits meanwhile.
  failures: { maxBytes: 65_536, waitMs: 500 },
  'shell-history': { maxBytes: 1_048_576, waitMs: 500 },
} as const;

type Name = keyof typeof smallFiles;

/** Where a small file is in the state folder. */
function smallFilePath(stateFolder: string, name: Name): string {
  return join(stateFolder, `${name}.json`);
}

/** The entries of the small file at `path`; undefined where there are none, or it is not understood. @throws Failure `state_unsafe` */
function readEntries(path: string, name: Name): JsonValue | undefined {
  const file = readIfThere(path, smallFiles[name].maxBytes);
  return file && parseObject(file.bytes, { maxKeys: 100_000 })?.['entries'];
}

function smallFile<Value>(
  name: Name,
  { directory, locks }: { readonly directory: string; readonly locks: Locks },
  parse: (entries: JsonValue | undefined) => Value,
) {
  const path = smallFilePath(directory, name);
  return stateFile<Value>({
    path,
    locks,
    lock: name,
    waitMs: smallFiles[name].waitMs,
    read: () => parse(readEntries(path, name)),
    textOf: (entries) => `${JSON.stringify({ version: 1, entries }, null, 1)}\n`,
  });
}

/** An hour, in milliseconds: after it an attempt no longer counts. */
const windowMs = 3_600_000;

type Times = Readonly<Record<string, readonly number[]>>;

/**
 * Attempts of the last hour, shared by every process. Names are hashed: the file outlives a logout, and is not to show
 * which servers there were. Times in the future (the clock was set back) count as now.
 */
export function createAttempts(options: { readonly directory: string; readonly locks: Locks; readonly clock: Clock }) {
  const { clock } = options;
  const file = smallFile('attempts', options, (entries) => recent(entries, clock.now()));
  return {
    /**
     * Counts one more; false, and not counted, after `max` in the last hour, or in `withinMs` where that is less.
     * @throws Failure of the state folder, `busy`
     */
    take: async (what: string, max: number, withinMs = windowMs) => {
      const name = hashed(what);
      let isTaken = false;
      await file.update((times) => {
        const made = times[name] ?? [];
        isTaken = made.filter((time) => clock.now() - time < withinMs).length < max;
        return isTaken ? { ...times, [name]: [...made, clock.now()] } : times;
      });
      return isTaken;
    },
    /** Would `take` count one? @throws as `take` */
    allows: async (what: string, max: number) => (file.read()[hashed(what)] ?? []).length < max,
    /** From now on there were none. @throws as `take` */
    forget: async (what: string) => {
      const name = hashed(what);
      if (file.read()[name] === undefined) return; // the usual case needs no lock
      await file.update(({ [name]: _, ...others }) => others);
    },
  };
}

/** Limits on what is done within an hour, over all processes. */
export type Attempts = ReturnType<typeof createAttempts>;

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

const maxFailures = 32;

type Failures = readonly FormatFailure[];

/** What other programs asked for and did not get, as several of them hide our stderr: the last of each format and origin. */
export function createFormatFailures(options: { readonly directory: string; readonly locks: Locks }) {
  const file = smallFile('failures', options, failuresIn);
  return {
    /** Oldest first. */
    read: async () => file.read(),
    /** Replaces what was kept for its format and origin. @throws Failure `state_unsafe`, `state_unwritable`, `busy` */
    keep: async (failure: FormatFailure) => {
      const isOther = (one: FormatFailure) => one.origin !== failure.origin || one.format !== failure.format;
      await file.update((failures) => [...failures.filter(isOther), failure].slice(-maxFailures));
    },
    /** Of an origin, all or those of one format. @throws as `keep` */
    forget: async (origin: string, format?: string) => {
      const isOf = (one: FormatFailure) => one.origin === origin && (format === undefined || one.format === format);
      if (!file.read().some(isOf)) return; // the usual case needs no lock
      await file.update((failures) => failures.filter((one) => !isOf(one)));
    },
  };
}

export type FormatFailures = ReturnType<typeof createFormatFailures>;

/** Where the failures are in the state folder. */
export function failuresPath(stateFolder: string): string {
  return smallFilePath(stateFolder, 'failures');
}

/** The failures in the file at `path`. @throws Failure `state_unsafe` */
export function readFailuresSync(path: string): Failures {
  return failuresIn(readEntries(path, 'failures'));
}

function failuresIn(entries: JsonValue | undefined): Failures {
  const isOurs = objectOf({ at: isWhole, format: isText, origin: isText, code: isText });
  return Array.isArray(entries) ? (entries.filter(isOurs) as unknown as Failures) : [];
}

const historyMax = { lines: 500, characters: 1_000 } as const;

/** The lines that were typed in `postern shell`: the last 500, none of more than 1,000 characters. */
export function createShellHistory(options: { readonly directory: string; readonly locks: Locks }): {
  read(): Promise<readonly string[]>;
  add(line: string): Promise<void>;
} {
  const file = smallFile('shell-history', options, (entries): readonly string[] =>
    Array.isArray(entries) ? entries.filter((line) => typeof line === 'string') : [],
  );
  return {
    read: async () => file.read().toReversed(),
    add: async (line) => {
      if (line.length > historyMax.characters) return;
      await file.update((lines) =>
        lines.at(-1) === line ? lines : [...lines.filter((one) => one !== line), line].slice(-historyMax.lines),
      );
    },
  };
}
