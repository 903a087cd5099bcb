import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stateUnsafe, stateUnwritable } from '../state-failures.js';

/** What a private file holds, or why it was not read. */
export type PrivateFile =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly modifiedAt: number; readonly inode: number }
  | { readonly ok: false; readonly problem: 'absent' }
  | { readonly ok: false; readonly problem: 'unsafe' | 'too_large'; readonly why: string };

/**
 * Reads a small file that only we may have written: never through a symbolic link, a plain file with one name,
 * ours, closed to others, at most `maxBytes`, in a folder of the same kind. Does not wait on a FIFO. Synchronous:
 * it takes less time than a promise.
 * @param maxNames Hard links that it may have.
 * @throws an error of the file system other than "no such file"
 */
export function readPrivateFile(path: string, maxBytes: number, maxNames = 1): PrivateFile {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    const why = folderProblem(dirname(path));
    if (why !== undefined) return { ok: false, problem: 'unsafe', why: `of its folder ${dirname(path)}: ${why}` };
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return notOpened(error);
  }
  try {
    const stats = fstatSync(file);
    const why = fileProblem(stats, maxNames);
    if (why === undefined && stats.size > maxBytes) {
      return { ok: false, problem: 'too_large', why: `it is larger than ${maxBytes} bytes` };
    }
    return why === undefined
      ? { ok: true, bytes: readAll(file, stats.size), modifiedAt: stats.mtimeMs, inode: stats.ino }
      : { ok: false, problem: 'unsafe', why };
  } finally {
    closeSync(file);
  }
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
  if (us === undefined) return undefined;
  if (folder.uid !== us) return `it belongs to user ${folder.uid}, not to you (${us})`;
  if ((folder.mode & 0o077) !== 0) return `other users have access to it (mode ${(folder.mode & 0o777).toString(8)})`;
  const parent = lstatSync(`${dirname(path)}/.`); // the slash: a link above is followed, its target judged
  return isOpenToOthers(parent, us) ? 'other users can write to the folder above it' : undefined;
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

function fileProblem(stats: Stats, maxNames: number): string | undefined {
  const us = process.geteuid?.();
  if (!stats.isFile()) return 'it is not a plain file';
  if (us === undefined) return undefined;
  if (stats.nlink > maxNames) return 'it has a second name (hard link)';
  if (stats.uid !== us) return `it belongs to user ${stats.uid}, not to you (${us})`;
  const mode = stats.mode & 0o777;
  return (mode & 0o077) === 0 ? undefined : `other users have access to it (mode ${mode.toString(8)})`;
}

function readAll(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function notOpened(error: unknown): PrivateFile {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return { ok: false, problem: 'absent' };
  if (code === 'ELOOP') return { ok: false, problem: 'unsafe', why: 'it is a symbolic link' };
  const unsafe: Readonly<Record<string, string>> = {
    EACCES: 'it may not be read (permission denied)',
    ENXIO: 'it is not a plain file',
    ENOTDIR: 'a part of its path is not a folder',
  };
  const why = unsafe[String(code)];
  if (why === undefined) throw error;
  return { ok: false, problem: 'unsafe', why };
}

/**
 * Makes the folder and what is missing above it, each 0700, then verifies what is really there: `mkdir` says
 * nothing about a folder that somebody else has made before.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
  const problem = folderProblem(path);
  if (problem !== undefined) throw stateUnsafe(path, problem);
}
