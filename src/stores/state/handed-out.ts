import { closeSync, constants, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.js';
import { asObject, parseJson } from '../../core/text/json.js';
import type { HandedOut, HandedToken } from '../ports.js';
import { readPrivateFile } from './private-file.js';
import { startOf } from './process-identity.js';

/** Whoever is given a token and asks again within so many milliseconds asks since it was refused. */
const againMs = 10_000;

/** A caller that asks again has a token refreshed no more often than this. */
const refreshMs = 60_000;

/** Files at most: two callers that share one forget each other's. */
const slots = 256;

const maxBytes = 1_024;

/** The note of what the process that started this one was given last of a login, in a file of the state folder. */
export function handedOutPath(stateFolder: string, key: string): string {
  return `${stateFolder}/handed-out/${(Number.parseInt(key.slice(0, 8), 16) + process.ppid) % slots}.json`;
}

/**
 * Whether the note may tell of this caller and the last seconds: one look, for whoever has no time; who shares the file is
 * told apart by a second one. `now` in milliseconds since 1970.
 * @throws an error of the file system other than "no such file"
 */
export function mayBeAskedAgain(path: string, now: number): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  const isRecent = file !== undefined && Math.abs(now - file.mtimeMs) < againMs;
  return isRecent && file.size < maxBytes && readFileSync(path, 'latin1').includes(`"pid":${process.ppid},`);
}

/**
 * When this login's token was refreshed for this caller, less than a minute ago: whoever asks again so soon gets what is
 * stored. Wherever the note says anything odd, undefined.
 */
export function refreshedRecently(path: string, key: string, now: number): number | undefined {
  const parsed = parseJson(readFileSync(path));
  const note = parsed.ok ? asObject(parsed.value) : undefined;
  const refreshedAt = note?.['key'] === key ? note['renewedAt'] : undefined;
  return typeof refreshedAt === 'number' && now >= refreshedAt && now - refreshedAt < refreshMs
    ? refreshedAt
    : undefined;
}

/**
 * Notes what was given to the process that started this one: which token, told by the login's key and the time when it was
 * obtained (nothing of the token itself), and which process. Nothing depends on it, so it is not synced, and fails silently.
 */
export function noteHandedOut(path: string, { key, obtainedAt, refreshedAt }: HandedToken, now: number): void {
  if (process.ppid <= 1) return; // whoever has lost its parent is anybody
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  const caller = { pid: process.ppid, started: startOf(process.ppid) };
  try {
    const file = opened(path, flags);
    try {
      writeSync(file, JSON.stringify({ version: 1, key, obtainedAt, renewedAt: refreshedAt, caller, at: now }));
    } finally {
      closeSync(file);
    }
  } catch {
    // The disk is full, or not ours to write: then nobody is known again.
  }
}

function opened(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    mkdirSync(dirname(path), { mode: 0o700 });
    return openSync(path, flags, 0o600);
  }
}

/** The notes in the state folder, for whoever has time. */
export function createHandedOut(stateFolder: string): HandedOut {
  return {
    lately: async (key, now) => {
      const path = handedOutPath(stateFolder, key);
      return noted(path, key, now);
    },
    note: async (token, now) => noteHandedOut(handedOutPath(stateFolder, token.key), token, now),
  };
}

function noted(path: string, key: string, now: number): HandedToken | undefined {
  const file = attempt(path);
  const parsed = file === undefined ? undefined : parseJson(file);
  const note = parsed?.ok ? asObject(parsed.value) : undefined;
  const caller = asObject(note?.['caller']);
  const { at, obtainedAt, renewedAt: refreshedAt } = note ?? {};
  const isThis =
    note?.['version'] === 1 &&
    note['key'] === key &&
    caller?.['pid'] === process.ppid &&
    caller['started'] === startOf(process.ppid) &&
    typeof at === 'number' &&
    now >= at &&
    now - at < againMs;
  if (!isThis || typeof obtainedAt !== 'number') return undefined;
  return { key, obtainedAt, refreshedAt: typeof refreshedAt === 'number' ? refreshedAt : undefined };
}

/** One that is not private, or not to be read, says nothing. */
function attempt(path: string): Uint8Array | undefined {
  try {
    const file = readPrivateFile(path, maxBytes);
    return file.ok ? file.bytes : undefined;
  } catch (error) {
    if (error instanceof Failure || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
