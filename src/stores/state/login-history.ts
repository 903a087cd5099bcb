import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, systemCode } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import { parseObject } from '../../core/text/json.js';
import type { HistoryEntry, HistoryEvent, LoginHistory } from '../ports.js';
import { readIfThere } from './private-file.js';
import { removeFile, replaceFile } from './safe-file.js';

/** A file that has grown to this is written anew, each kind of event in one line. In bytes. */
const maxBytes = 16_384;

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

type Named = Pick<LoginRecord, 'server' | 'account'>;

/** The file of one login, in the state folder; its name does not show for which server it is. */
export function historyPath(stateFolder: string, { server, account }: Named): string {
  const name = createHash('sha256').update(`postern history of ${server}\n${account}`).digest('hex').slice(0, 32);
  return join(stateFolder, 'history', `${name}.jsonl`);
}

/**
 * The history of each login, in a small private file: a line is added to its end, without a lock and without waiting for
 * the disk. Nothing depends on it: it fails silently.
 * @param options.command Which command runs. @param options.now Milliseconds since 1970.
 */
export function createLoginHistory(options: {
  readonly stateFolder: string;
  readonly command: string;
  readonly now: () => number;
}): LoginHistory {
  const { stateFolder, command, now } = options;
  return {
    read: async (login) => readHistory(historyPath(stateFolder, login)),
    note: async (login, what, why = '') => {
      if (login.store === 'environment' || login.store === 'memory') return;
      const path = historyPath(stateFolder, login);
      const at = now();
      const detail = what === 'used' ? command : why.slice(0, 100);
      await silently(async () => {
        if (appendLine(path, { what, detail, count: 1, first: at, last: at }) > maxBytes) await fold(path);
      });
    },
    forget: async (login) => {
      await silently(async () => void (await removeFile(historyPath(stateFolder, login))));
    },
  };
}

/** Adds a line; how long the file is then, in bytes. */
function appendLine(path: string, entry: HistoryEntry): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const open = () => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  let file: number;
  try {
    file = open();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    file = open();
  }
  try {
    writeSync(file, lineOf(entry));
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

async function fold(path: string): Promise<void> {
  await replaceFile(path, readHistory(path).map(lineOf).join(''), 0o600, `${path}.${process.pid}`);
}

function lineOf({ what, detail, count, first, last }: HistoryEntry): string {
  return `${JSON.stringify({ what, detail, count, first, last })}\n`;
}

function readHistory(path: string): readonly HistoryEntry[] {
  try {
    const file = readIfThere(path, 4 * maxBytes);
    return file === undefined ? [] : entriesIn(new TextDecoder().decode(file.bytes));
  } catch (error) {
    if (error instanceof Failure) return [];
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

async function silently(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // A full disk, a folder that is not ours: the history stays as it was.
    if (!(error instanceof Failure) && systemCode(error) === 'unknown') throw error;
  }
}
