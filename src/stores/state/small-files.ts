import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import type { FormatFailure } from '../../core/records.js';
import { asObject, type JsonObject, type JsonValue, parseObject } from '../../core/text/json.js';
import { isText, isWhole, objectOf } from '../checks.js';
import type { Attempts, FormatFailures, Locks, ToolList, ToolLists } from '../ports.js';
import { ensurePrivateFolder, readIfThere } from '../private-file.js';
import { removeFile, replaceFile, stateFile } from './safe-file.js';

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

const maxFailures = 32;

type Failures = readonly FormatFailure[];

/** The failures of other programs' requests: the last of each format and origin. */
export function createFormatFailures(options: { readonly directory: string; readonly locks: Locks }): FormatFailures {
  const file = smallFile('failures', options, failuresIn);
  return {
    read: async () => file.read(),
    keep: async (failure) => {
      const isOther = (one: FormatFailure) => one.origin !== failure.origin || one.format !== failure.format;
      await file.update((failures) => [...failures.filter(isOther), failure].slice(-maxFailures));
    },
    forget: async (origin, format) => {
      const isOf = (one: FormatFailure) => one.origin === origin && (format === undefined || one.format === format);
      if (!file.read().some(isOf)) return; // the usual case needs no lock
      await file.update((failures) => failures.filter((one) => !isOf(one)));
    },
  };
}

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

/** After a day a list counts no more. */
const longestMs = 86_400_000;

/** A longer list is not kept. In bytes. */
const maxListBytes = 1_048_576;

/** Lists at most: the one that was renewed longest ago goes first. */
const maxLists = 64;

/**
 * The file of the tools of one login, in the state folder.
 * @param key Of its record; for a server that is called without a login the server's URL.
 */
export function toolListPath(stateFolder: string, key: string): string {
  const name = /^[0-9a-f]{64}$/.test(key) ? key : `x-${createHash('sha256').update(key).digest('hex')}`;
  return join(stateFolder, 'tools', `${name}.json`);
}

/**
 * The tools that the server has listed for the login with that key (of its record), from a small file, at once: for what
 * completes words, too. Undefined where none were listed within a day, or what is there is not private or not understood.
 * All texts are the server's, and untrusted: they are shown through `printable` alone.
 * @param now Milliseconds since 1970.
 */
export function readToolListSync(stateFolder: string, key: string, now: number): ToolList | undefined {
  let list: JsonObject | undefined;
  try {
    const file = readIfThere(toolListPath(stateFolder, key), maxListBytes);
    // We alone can have written it, and the strict parser takes milliseconds more.
    list = file && asObject(JSON.parse(Buffer.from(file.bytes).toString()));
  } catch {
    return undefined; // it only saves a request
  }
  if (list?.['version'] !== 1 || !Array.isArray(list['tools'])) return undefined;
  const { version: _, ...kept } = list as unknown as ToolList & { readonly version: 1 };
  return kept.at <= now && now - kept.at < longestMs ? kept : undefined;
}

/** Keeps what servers have listed in small private files, one for each login. Nothing depends on them: they fail silently. */
export function createToolLists(stateFolder: string): ToolLists {
  return {
    read: async (key, now) => readToolListSync(stateFolder, key, now),
    keep: async (key, list) => {
      const text = JSON.stringify({ version: 1, ...list });
      if (Buffer.byteLength(text) > maxListBytes) return forget(stateFolder, key);
      const path = toolListPath(stateFolder, key);
      await silently(async () => {
        await ensurePrivateFolder(join(path, '..'));
        await replaceFile(path, text, 0o600, `${path}.${process.pid}`);
        await prune(join(path, '..'));
      });
    },
    forget: (key) => forget(stateFolder, key),
  };
}

async function forget(stateFolder: string, key: string): Promise<void> {
  await silently(() => removeFile(toolListPath(stateFolder, key)));
}

async function prune(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => /^(?:x-)?[0-9a-f]{64}\.json/.test(name)); // nobody else's
  if (names.length <= maxLists) return;
  const files = names.map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));
  files.sort((one, other) => other.at - one.at);
  for (const { path } of files.slice(maxLists)) await removeFile(path);
}

/** The disk is full, or not ours to write: then the list is asked for again. */
async function silently(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof Error && 'code' in error)) throw error;
  }
}
