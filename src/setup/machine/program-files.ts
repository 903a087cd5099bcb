import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rm, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { systemCode } from '../../core/failure.js';
import { quotedPath } from '../../core/text/printable.js';
import { openFolderAbove } from '../../stores/private-file.js';
import { realPath } from '../../stores/run-program.js';
import { replaceFile } from '../../stores/state/safe-file.js';
import { outsideProject, programFileChanged, programFileUnusable, programFileUnwritable } from '../failures.js';

/** Each is parsed several times. */
export const maxMebibytes = 8;

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** A configuration file of another program as it was read. */
export interface ProgramFile {
  /** Where it really lies: symbolic links are followed. */
  readonly path: string;
  /** Undefined when there is no such file. */
  readonly text: string | undefined;
  readonly mode?: number;
}

/** The files of the person's other programs. */
export const programFiles = { read, replace, remove, exists, missingFolders, removeFolder };

export type ProgramFiles = typeof programFiles;

/**
 * @param project The folder it must be in after links are followed: the author of a project also chooses its links.
 * @throws Failure `program_file_unusable` where it is no plain UTF-8 file of this user's
 */
async function read(path: string, project?: string): Promise<ProgramFile> {
  const target = await targetOf(path);
  if (project !== undefined && !isBelow(target, await realpath(project))) throw outsideProject(path, target);
  return { path: target, ...(await readFile(target)) };
}

/**
 * Replaces it as a whole with its mode kept, if it still is what was read.
 * @param newMode For a file that was not there.
 * @throws Failure `program_file_changed`, `program_file_unwritable`
 */
async function replace(file: ProgramFile, text: string, newMode = 0o600): Promise<void> {
  const { mode = newMode } = await unchanged(file);
  await writing(file.path, async () => {
    await mkdir(dirname(file.path), { recursive: true, mode: 0o700 });
    await replaceWhole(file.path, text, mode);
  });
}

/** @throws as `replace` */
async function remove(file: ProgramFile): Promise<void> {
  await unchanged(file);
  await writing(file.path, () => rm(file.path, { force: true }));
}

function exists(path: string): boolean {
  return existsSync(path);
}

/** The folders above a path that are not there, the innermost first. */
function missingFolders(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path || existsSync(folder) ? [] : [folder, ...missingFolders(folder)];
}

/** Removes a folder; false where it is not empty, or not ours to remove. */
async function removeFolder(path: string): Promise<boolean> {
  return rmdir(path).then(
    () => true,
    () => false,
  );
}

/** Where a path leads: dotfiles are often links into a folder that is kept in a repository. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw programFileUnusable(path, `it cannot be followed (${systemCode(error)})`);
  }
  const link = await lstat(path).catch(() => undefined);
  if (link !== undefined) throw programFileUnusable(path, 'it is a symbolic link that leads nowhere');
  return join(await targetOf(dirname(path)), basename(path));
}

function isBelow(path: string, folder: string): boolean {
  const [first] = relative(folder, path).split(sep, 1);
  return first !== '..' && !isAbsolute(relative(folder, path));
}

async function readFile(path: string): Promise<{ readonly text: string | undefined; readonly mode?: number }> {
  const openFolder = openFolderAbove(path, realPath(homedir()));
  if (openFolder !== undefined) {
    throw programFileUnusable(path, `other users can write to the folder ${quotedPath(openFolder, 300)}`);
  }
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw programFileUnusable(path, `it cannot be opened (${systemCode(error)})`);
  });
  if (file === undefined) return { text: undefined };
  const stats = await file.stat();
  const { size, uid, nlink, mode } = stats;
  const us = process.geteuid?.();
  const reasons = [
    [!stats.isFile(), 'it is not a plain file'],
    [us !== undefined && uid !== us, `it belongs to another user (${uid})`],
    [us !== undefined && nlink > 1, 'it has a second name (hard link), which would be left behind'],
    [size > maxMebibytes * 2 ** 20, `it is larger than ${maxMebibytes} MiB`],
  ] as const;
  for (const [is, why] of reasons) if (is) throw programFileUnusable(path, why);
  return { text: decode(path, await file.readFile()), mode: mode & 0o7777 };
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw programFileUnusable(path, 'it is not UTF-8');
  }
}

async function unchanged(file: ProgramFile): Promise<{ readonly mode?: number }> {
  const now = await readFile(file.path);
  if (now.text !== file.text) throw programFileChanged(file.path);
  return now;
}

async function writing(path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw programFileUnwritable(path, systemCode(error));
  }
}

/** The file as a whole, in one step, with that mode. */
export async function replaceWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.new`);
  await replaceFile(path, text, mode, temporary);
}
