import { constants, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asObject, type JsonValue, parseObject } from '../../core/text/json.js';
import type { HandedOut, HandedToken } from '../ports.js';
import { readIfThere } from './private-file.js';
import { startOf, startTime } from './process-identity.js';

/** A caller that asks again within so many milliseconds asks because the token was refused. */
const againMs = 10_000;

/** A caller that asks again has a token refreshed no more often than this. */
const refreshMs = 60_000;

/** A start is known to some hundredths of a second, and who asks again may do so at once. */
const startSlackMs = 20;

/** Files at most: two callers that share one forget each other's. */
const slots = 256;

const maxBytes = 1_024;

/** The note of what the process that started this one was given last of a login, in a file of the state folder. */
export function handedOutPath(stateFolder: string, key: string): string {
  return join(stateFolder, 'handed-out', `${(Number.parseInt(key.slice(0, 8), 16) + process.ppid) % slots}.json`);
}

/**
 * What this very caller was given of the login within the last ten seconds, and before it started this process: where it
 * starts many helpers at once, a late one is no second question. `refreshedAt` only where that is less than a minute ago. A
 * note that says anything odd says nothing. `now` in milliseconds since 1970.
 */
export function recentlyHandedOut(path: string, key: string, now: number): HandedToken | undefined {
  const file = readNote(path);
  const note = file && Math.abs(now - file.modifiedAt) < againMs ? parseObject(file.bytes) : undefined;
  const caller = asObject(note?.['caller']);
  const isThis =
    note?.['version'] === 1 &&
    note['key'] === key &&
    caller?.['pid'] === process.ppid &&
    caller['started'] === startOf(process.ppid);
  const { at, obtainedAt, refreshedAt } = note ?? {};
  if (!isThis || !isWithin(againMs, at, now) || typeof obtainedAt !== 'number') return undefined;
  if (startTime(now) + startSlackMs < at) return undefined;
  return { key, obtainedAt, refreshedAt: isWithin(refreshMs, refreshedAt, now) ? refreshedAt : undefined };
}

function isWithin(ms: number, time: JsonValue | undefined, now: number): time is number {
  return typeof time === 'number' && now >= time && now - time < ms;
}

/** One that is not private, or not to be read, says nothing. */
function readNote(path: string) {
  try {
    return readIfThere(path, maxBytes);
  } catch {
    return undefined;
  }
}

/**
 * Notes what was given to the process that started this one: the login's key, when the token was
 * obtained, and which process; nothing of the token itself. Nothing depends on it: it is not synced, and fails silently.
 */
export function noteHandedOut(path: string, { key, obtainedAt, refreshedAt }: HandedToken, now: number): void {
  if (process.ppid <= 1) return; // the parent has ended: this could be anybody's
  const caller = { pid: process.ppid, started: startOf(process.ppid) };
  const note = JSON.stringify({ version: 1, key, obtainedAt, refreshedAt, caller, at: now });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, note, { flag: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600 } as object);
  } catch {
    // The disk is full, or not ours to write: then nobody is known again.
  }
}

export function createHandedOut(stateFolder: string): HandedOut {
  return {
    lately: async (key, now) => recentlyHandedOut(handedOutPath(stateFolder, key), key, now),
    note: async (token, now) => noteHandedOut(handedOutPath(stateFolder, token.key), token, now),
  };
}
