import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../core/failure.js';
import type { Locks } from '../ports.js';
import { stateUnwritable } from '../state-failures.js';
import { whenFree } from './in-use.js';
import { ensurePrivateFolder } from './private-file.js';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;

/** A file of this name that was not there before. */
export const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/**
 * Replaces a file as a whole: a reader, a crash or a power cut sees the old text or the new one. The mode is as it is
 * given, whatever the umask. Only the disk is waited for: all else takes less time than a promise, and `node:fs/promises`
 * takes a fiftieth of a refresh to load.
 * @param temporary In the same folder. What is there is removed.
 */
export async function replaceFile(
  path: string,
  text: string | Uint8Array,
  mode: number,
  temporary: string,
): Promise<void> {
  try {
    removeIfThere(temporary);
    await writeNew(temporary, text, mode);
    await whenFree(async () => renameSync(temporary, path));
  } catch (error) {
    removeQuietly(temporary); // what went wrong before is what is told
    throw error;
  }
}

/** A new file, on the disk when this resolves. */
async function writeNew(path: string, text: string | Uint8Array, mode: number): Promise<void> {
  const file = openSync(path, newFile, 0o600);
  try {
    writeFileSync(file, text);
    fchmodSync(file, mode);
    await synced(file);
  } finally {
    closeSync(file);
  }
}

/** What was written to an open file is on the disk. */
export function synced(file: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(file, (error) => (error === null ? resolve() : reject(error))));
}

/**
 * Replaces a private file, for good. The caller holds a lock for it, so a temporary file that is already there was
 * left by a process that died.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await ensurePrivateFolder(folder);
  try {
    await replaceFile(path, text, 0o600, join(folder, `.${basename(path)}.new`));
    await syncFolder(folder);
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
}

/** What was renamed or removed there stays so after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = openSync(path, constants.O_RDONLY);
  try {
    await synced(folder);
  } finally {
    closeSync(folder);
  }
}

/** Deletes a name, never what a link there leads to; false when there was none. @throws Failure `state_unwritable` */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await whenFree(async () => unlinkSync(path));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw stateUnwritable(path, error);
  }
}

/** The paths in a folder, none where it is not there. @throws Failure `state_unwritable` */
export async function pathsIn(folder: string): Promise<readonly string[]> {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw stateUnwritable(folder, error);
  }
}

/** A small file that every process reads without a lock, and changes under one. */
export interface StateFile<Value> {
  readonly path: string;
  readonly locks: Locks;
  readonly lock: string;
  readonly waitMs: number;
  /** What is there now: the same value where the file is the same. */
  read(): Value;
  textOf(value: Value): string;
}

/**
 * Writes what `change` makes of the value; nothing where it returns the very value that it was given.
 * @param first Waited for before anything is changed, and nothing is where it rejects. The text is on the disk by then, and takes
 *   the file's place if nobody else has: after a power cut the old one may be there.
 * @throws what `first` rejects with
 */
export async function updateStateFile<Value>(
  file: StateFile<Value>,
  change: (value: Value) => Value,
  first?: Promise<unknown>,
): Promise<Value> {
  const { signal } = new AbortController();
  const drafting = first && draftOf(file, change).catch(ignoreError); // it is written anew, then
  let draft: Draft<Value> | undefined;
  try {
    try {
      await first;
    } finally {
      draft = await drafting;
    }
    await using _lock = await file.locks.acquire(file.lock, { waitMs: file.waitMs, signal });
    const before = file.read();
    if (draft !== undefined && draft.before === before && (await tryRename(draft.path, file.path))) return draft.after;
    const after = change(before);
    if (after === before) return after;
    await replacePrivateFile(file.path, file.textOf(after));
    await removeDrafts(file.path); // all that are there follow on what was before
    return after;
  } finally {
    if (draft !== undefined) removeQuietly(draft.path);
  }
}

interface Draft<Value> {
  readonly path: string;
  readonly before: Value;
  readonly after: Value;
}

/** What a file is to be, written beside it without a lock. Undefined where it is to stay as it is. */
async function draftOf<Value>(
  file: StateFile<Value>,
  change: (value: Value) => Value,
): Promise<Draft<Value> | undefined> {
  const before = file.read();
  const after = change(before);
  if (after === before) return undefined;
  const path = `${draftsOf(file.path)}${randomBytes(8).toString('hex')}`;
  try {
    await writeNew(path, file.textOf(after), 0o600);
  } catch (error) {
    removeQuietly(path);
    throw error;
  }
  return { path, before, after };
}

/** False where it could not, as another process has removed the draft. */
async function tryRename(draft: string, path: string): Promise<boolean> {
  try {
    await whenFree(async () => renameSync(draft, path));
    return true;
  } catch {
    return false;
  }
}

/** How the paths of its drafts begin. */
function draftsOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.draft-`);
}

/** Of processes that were killed; who loses one that way writes it anew. */
async function removeDrafts(path: string): Promise<void> {
  const there = await pathsIn(dirname(path)).catch(() => []);
  for (const one of there) if (one.startsWith(draftsOf(path))) removeQuietly(one);
}

function ignoreError(): undefined {}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // it is not there, or stays
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
