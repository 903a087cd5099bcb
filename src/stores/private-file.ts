import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../core/failure.js';
import { accessProblem } from '../core/files.js';
import { stateUnsafe, stateUnwritable } from './failures.js';

/** What a file holds, or why it was not read, which ends a sentence about it. */
export type CheckedFile =
  | { readonly ok: true; readonly bytes: Buffer; readonly stats: Stats }
  | { readonly ok: false; readonly problem: 'absent'; readonly why: string }
  | { readonly ok: false; readonly problem: 'unsafe' | 'too_large'; readonly why: string };

const openProblems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ELOOP: 'it is a symbolic link',
  EACCES: 'it may not be read (permission denied)',
  EISDIR: 'it is not a plain file',
  ENXIO: 'it is not a plain file',
  ENOTDIR: 'a part of its path is not a folder',
};

/**
 * Reads a small plain file, and does not wait for a FIFO or a device. Synchronous: it takes less time than a promise.
 * @param problem Why the file is not to be used; undefined: it is.
 * @param flags Beside those of reading.
 * @throws an error of the file system that says nothing about the file itself
 */
export function readChecked(
  path: string,
  maxBytes: number,
  problem: (stats: Stats) => string | undefined,
  flags = 0,
): CheckedFile {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = whenFree(() => openSync(path, O_RDONLY | O_NONBLOCK | flags));
  } catch (error) {
    return notRead(error);
  }
  try {
    const stats = fstatSync(file);
    const why = stats.isFile() ? problem(stats) : 'it is not a plain file';
    if (why !== undefined) return { ok: false, problem: 'unsafe', why };
    const bytes = stats.size > maxBytes ? undefined : readFileSync(file);
    return bytes === undefined || bytes.length > maxBytes
      ? { ok: false, problem: 'too_large', why: `it is larger than ${maxBytes} bytes` }
      : { ok: true, bytes, stats };
  } finally {
    closeSync(file);
  }
}

function notRead(error: unknown): CheckedFile {
  const code = systemCode(error);
  const why = openProblems[code];
  if (why === undefined) throw error;
  return { ok: false, problem: code === 'ENOENT' ? 'absent' : 'unsafe', why };
}

/**
 * Reads a small file that only we may have written: never through a symbolic link, a plain file with one name, ours,
 * closed to others, at most `maxBytes`, in a folder of the same kind.
 * @param maxNames Hard links that it may have.
 * @throws as `readChecked`
 */
export function readPrivateFile(path: string, maxBytes: number, maxNames = 1): CheckedFile {
  const us = process.geteuid?.();
  let why: string | undefined;
  try {
    why = folderProblem(dirname(path));
  } catch (error) {
    return notRead(error);
  }
  if (why !== undefined) return { ok: false, problem: 'unsafe', why: `of its folder ${dirname(path)}: ${why}` };
  const problem = (stats: Stats) =>
    us !== undefined && stats.nlink > maxNames ? 'it has a second name (hard link)' : accessProblem(stats, us);
  return readChecked(path, maxBytes, problem, constants.O_NOFOLLOW ?? 0);
}

/** As `readPrivateFile`; undefined where there is no file. @throws Failure `state_unsafe` */
export function readIfThere(
  path: string,
  maxBytes: number,
  maxNames = 1,
): Extract<CheckedFile, { ok: true }> | undefined {
  const file = readPrivateFile(path, maxBytes, maxNames);
  if (!file.ok && file.problem !== 'absent') throw stateUnsafe(path, file.why);
  return file.ok ? file : undefined;
}

/**
 * What makes an existing folder unfit for private files, or undefined: it must be a real folder, ours, closed to
 * others, in a parent where nobody else can put another in its place. Windows is left to its access lists.
 * @throws an error of the file system, `ENOENT` among them
 */
export function folderProblem(path: string): string | undefined {
  const us = process.geteuid?.();
  const folder = lstatSync(path);
  if (folder.isSymbolicLink() || !folder.isDirectory()) {
    return folder.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder';
  }
  const problem = accessProblem(folder, us);
  if (us === undefined || problem !== undefined) return problem;
  const parent = lstatSync(`${dirname(path)}/.`); // the slash: a link above is followed
  return isOpenToOthers(parent, us) ? 'other users can write to the folder above it' : undefined;
}

/**
 * The nearest folder above a real path in which another user could put something else in its place. Of the folders above
 * `home`, whose owners hold all of it in their hands, nothing is asked.
 */
export function openFolderAbove(path: string, home: string | undefined): string | undefined {
  const us = process.geteuid?.();
  const folder = dirname(path);
  if (us === undefined || folder === path) return undefined;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && isOpenToOthers(stats, us)) return folder;
  return folder === home ? undefined : openFolderAbove(folder, home);
}

/** Could another user rename or replace what lies in this folder? */
function isOpenToOthers(parent: Stats, us: number): boolean {
  if (parent.uid !== us && parent.uid !== 0) return true;
  const sticky = (parent.mode & 0o1000) !== 0;
  const byOthers = (parent.mode & 0o002) !== 0;
  // A group that has the number of its only member is that user's own (the rule of pam_umask's `usergroups`).
  const ownGroup = parent.gid === process.getegid?.() && parent.gid === us && us !== 0;
  const byGroup = (parent.mode & 0o020) !== 0 && !ownGroup;
  return (byOthers || byGroup) && !sticky;
}

/**
 * Makes the folder and what is missing above it, each 0700, then verifies what is really there: `mkdir` says
 * nothing about a folder that another user has made before.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
  const problem = folderProblem(path);
  if (problem !== undefined) throw stateUnsafe(path, problem);
}

const pauseMs = { min: 1, max: 25 } as const;

/** A file that another process has open may stay so for `maxMs`. */
const here = { platform: process.platform as string, maxMs: 1_500 };

/**
 * Windows refuses to rename, remove or open what another process has open just then, or has removed while a third one read
 * it: a reader of ours, a virus scanner, a backup. A moment later it goes well. Elsewhere this is the act and nothing more.
 * @throws what the last attempt threw
 */
export function whenFree<Value>(immediate: () => Value, { platform, maxMs } = here): Value {
  const since = process.uptime();
  for (let pause: number = pauseMs.min; ; pause = Math.min(pauseMs.max, 2 * pause)) {
    try {
      return immediate();
    } catch (error) {
      const isTaken = platform === 'win32' && ['EPERM', 'EBUSY', 'EACCES'].includes(systemCode(error));
      if (!isTaken || (process.uptime() - since) * 1000 > maxMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
}

/** Deletes a name, never what a link there leads to; false when there was none. */
export function removeIfThere(path: string): boolean {
  try {
    whenFree(() => unlinkSync(path));
    return true;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return false;
  }
}
