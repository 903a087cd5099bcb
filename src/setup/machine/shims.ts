import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isFailure, systemCode } from '../../core/failure.js';
import { readIfThere } from '../../stores/private-file.js';
import { replacePrivateFile } from '../../stores/state/safe-file.js';
import { fileUnwritable, shimFolderMissing, shimRefused } from '../failures.js';
import { replaceWhole } from './program-files.js';

/** A program that `credential --shim` wrote for others: where it is, and SHA-256 of what was written. */
export interface NotedShim {
  readonly path: string;
  readonly digest: string;
}

/** More than any shim has. */
const maxShimBytes = 65_536;
const maxNoteBytes = 16 * 1024;

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

const noteName = (path: string) => `shim-${digestOf(path).slice(0, 32)}.json`;

/**
 * Makes a script for this user alone (0700), or replaces one that has `mark` in its second line; whole, and never
 * through a symbolic link. Returns its absolute path.
 * @throws Failure `shim_refused`, `file_unwritable`
 */
export async function writeShimFile(path: string, text: string, mark: string): Promise<string> {
  const target = resolve(path);
  try {
    const [, second] = (await readShim(target))?.split(/\r?\n/, 2) ?? ['', `# ${mark}`];
    if (second !== `# ${mark}` && second !== `@rem ${mark}`) {
      throw shimRefused(target, 'it is there already, and was not written by --shim');
    }
    await replaceWhole(target, text, 0o700);
  } catch (error) {
    if (isFailure(error)) throw error;
    const code = systemCode(error);
    throw code === 'ENOENT' ? shimFolderMissing(dirname(target)) : fileUnwritable(target, code);
  }
  return target;
}

/**
 * Notes a shim, so that `uninstall` finds it: one file for each, which needs no lock.
 * @param folder Of the records of `setup`, in the state folder.
 */
export async function noteShim(folder: string, path: string, text: string): Promise<void> {
  const note = { version: 1, path, digest: digestOf(text) };
  try {
    await replacePrivateFile(join(folder, noteName(path)), `${JSON.stringify(note)}\n`);
  } catch (error) {
    if (!isFailure(error)) throw error; // the shim itself is written, and works
  }
}

/** Every shim that was noted, whether or not it is still there. */
export async function notedShims(folder: string): Promise<readonly NotedShim[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().flatMap((name) => {
    if (!/^shim-[0-9a-f]{32}\.json$/.test(name)) return [];
    const note = noteIn(readIfThere(join(folder, name), maxNoteBytes)?.bytes);
    return note === undefined ? [] : [note];
  });
}

/** Removes a shim that is still as it was written, and the note; false where a person has changed it, or taken it away. */
export async function removeNotedShim(folder: string, { path, digest }: NotedShim): Promise<boolean> {
  const text = await readShim(path).catch(() => undefined);
  const isOurs = text !== undefined && digestOf(text) === digest;
  const isRemoved =
    isOurs &&
    (await rm(path)
      .then(() => true)
      .catch(() => false));
  await unlink(join(folder, noteName(path))).catch(() => undefined);
  return isRemoved;
}

/** @throws Failure `shim_refused` where it is no plain file, as a link */
async function readShim(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > maxShimBytes) {
    throw shimRefused(path, 'it is there already, and no program that was written by --shim');
  }
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  return await file.readFile('utf8');
}

function noteIn(bytes: Uint8Array | undefined): NotedShim | undefined {
  try {
    const { version, path, digest } = JSON.parse(new TextDecoder().decode(bytes));
    return version === 1 && typeof path === 'string' && typeof digest === 'string' ? { path, digest } : undefined;
  } catch {
    return undefined;
  }
}
