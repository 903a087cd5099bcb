import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, systemCode } from '../../core/failure.js';
import { parseObject } from '../../core/text/json.js';
import type { HistoryEntry, HistoryEvent } from '../ports.js';
import { whenFreeSync } from './in-use.js';
import { readIfThere } from './private-file.js';

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** A file that has grown to this is written anew, each kind of event in one line. In bytes. */
const maxBytes = 16_384;

/** One that cannot be written anew grows no further. */
const hardMaxBytes = 2 * maxBytes;

/** Kinds of events that are kept of one login: those that were last. */
const maxEntries = 40;

const kinds: ReadonlySet<string> = new Set<HistoryEvent>([
  'made',
  'stepped_up',
  'refreshed',
  'asked_anew',
  'refused',
  'reported',
  'ended',
  'used',
]);

/** The folder of all histories, in the state folder. */
export function historyFolder(stateFolder: string): string {
  return join(stateFolder, 'history');
}

/** What the hot path has given out by a login: a file of its own, since the name of the other costs it a hash. */
export function givenOutPath(stateFolder: string, key: string): string {
  return join(historyFolder(stateFolder), `${key}.jsonl`);
}

/**
 * Adds entries to a small private file, without a lock and without waiting for the disk. Nothing depends on it: a full
 * or read-only disk, or a file that is none of ours, leave it as it was.
 */
export function noteEvents(path: string, entries: readonly HistoryEntry[]): void {
  try {
    if (append(path, linesOf(entries)) > maxBytes) fold(path);
  } catch (error) {
    if (!(error instanceof Failure) && systemCode(error) === 'unknown') throw error;
  }
}

/** What the hot path has just given to whoever has called it. `now` in milliseconds since 1970. */
export function noteGivenOut(stateFolder: string, key: string, command: string, now: number): void {
  noteEvents(givenOutPath(stateFolder, key), [{ what: 'used', detail: command, count: 1, first: now, last: now }]);
}

/** What such a file says; nothing where it is not there, or not private. */
export function readHistoryText(path: string): string {
  try {
    const file = readIfThere(path, 2 * hardMaxBytes);
    return file === undefined ? '' : new TextDecoder().decode(file.bytes);
  } catch (error) {
    if (error instanceof Failure) return '';
    throw error;
  }
}

/** The entries of a text, one for each kind of event, the one that was last at the end. A line that is not understood is left out. */
export function entriesIn(text: string): readonly HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const line of text.split('\n')) {
    const one = entryIn(line);
    if (one === undefined) continue;
    const key = `${one.what} ${one.detail}`;
    const { count = 0, first = one.first, last = one.last } = entries.get(key) ?? {};
    entries.set(key, {
      ...one,
      count: Math.min(Number.MAX_SAFE_INTEGER, count + one.count),
      first: Math.min(first, one.first),
      last: Math.max(last, one.last),
    });
  }
  return [...entries.values()].sort((one, other) => one.last - other.last).slice(-maxEntries);
}

function entryIn(line: string): HistoryEntry | undefined {
  const { what, detail, count, first, last } = parseObject(line) ?? {};
  const isWhole = [count, first, last].every((value) => Number.isSafeInteger(value) && Number(value) >= 0);
  if (typeof what !== 'string' || !kinds.has(what) || typeof detail !== 'string' || detail.length > 100 || !isWhole) {
    return undefined;
  }
  return { what: what as HistoryEvent, detail, count: Number(count), first: Number(first), last: Number(last) };
}

/** How long the file is then, in bytes. */
function append(path: string, lines: string): number {
  const file = openToAppend(path);
  try {
    const stats = fstatSync(file);
    if (stats.isFile() && stats.size < hardMaxBytes) writeSync(file, lines);
    return stats.size + lines.length;
  } finally {
    closeSync(file);
  }
}

function openToAppend(path: string): number {
  // A named pipe that nobody reads is not waited for.
  const open = () => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  let file: number;
  try {
    file = open();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    file = open();
  }
  return file;
}

/** Whoever adds a line meanwhile may lose it. */
function fold(path: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, linesOf(entriesIn(readHistoryText(path))), { flag: newFile, mode: 0o600 } as object);
  try {
    whenFreeSync(() => renameSync(temporary, path));
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

function linesOf(entries: readonly HistoryEntry[]): string {
  return entries
    .map(({ what, detail, count, first, last }) => `${JSON.stringify({ what, detail, count, first, last })}\n`)
    .join('');
}
