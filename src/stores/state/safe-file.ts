import {
  closeSync,
  constants,
  fchmodSync,
  fsync,
  openSync,
  readdirSync,
  renameSync,
  unlink,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../core/failure.js';
import { stateUnwritable } from '../failures.js';
import { ensurePrivateFolder, removeIfThere, whenFree } from '../private-file.js';
import type { Locks } from './locks.js';

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
    whenFree(() => renameSync(temporary, path));
  } catch (error) {
    await new Promise((resolve) => unlink(temporary, resolve)); // the first failure is the one that counts
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
    return removeIfThere(path);
  } catch (cause) {
    throw stateUnwritable(path, cause);
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

/**
 * A small private file that every process reads without a lock, and changes under one. Nothing is written where a change
 * returns the very value that it was called with.
 */
export function stateFile<Value>(file: {
  readonly path: string;
  readonly locks: Locks;
  readonly lock: string;
  readonly waitMs: number;
  readonly read: () => Value;
  readonly textOf: (value: Value) => string;
}) {
  const { signal } = new AbortController();
  return {
    read: file.read,
    update: async (change: (value: Value) => Value): Promise<Value> => {
      await using _lock = await file.locks.acquire(file.lock, { waitMs: file.waitMs, signal });
      const before = file.read();
      const after = change(before);
      if (after !== before) await replacePrivateFile(file.path, file.textOf(after));
      return after;
    },
  };
}
