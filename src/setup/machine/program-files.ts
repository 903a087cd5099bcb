import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, systemCode } from '../../core/failure.js';
import { replaceFile } from '../../stores/state/safe-file.js';
import { programFileChanged, programFileUnusable, programFileUnwritable } from '../failures.js';
import type { ProgramFile, ProgramFiles } from '../ports.js';

const maxBytes = 32 * 1024 * 1024;

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

interface Content {
  readonly text: string | undefined;
  readonly mode: number;
}

/** The files of the person's other programs. */
export function createProgramFiles(): ProgramFiles {
  return {
    read: async (path) => {
      const target = await targetOf(path);
      return { path: target, text: (await readFile(target)).text };
    },
    replace: async (file, text, { executable }) => {
      const now = await unchanged(file);
      const mode = now.text === undefined ? (executable ? 0o700 : 0o600) : now.mode;
      await written(file.path, async () => {
        await mkdir(dirname(file.path), { recursive: true, mode: 0o700 });
        await replaceProgramFile(file.path, text, mode);
      });
    },
    remove: async (file) => {
      await unchanged(file);
      await written(file.path, () => unlink(file.path));
    },
    forget: (path) => written(path, () => rm(path, { force: true })),
    exists: existsSync,
    missingFolders,
    removeFolder: (path) =>
      rmdir(path).then(
        () => true,
        () => false,
      ),
  };
}

function missingFolders(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path || existsSync(folder) ? [] : [folder, ...missingFolders(folder)];
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
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

async function readFile(path: string): Promise<Content> {
  await checkFolder(dirname(path));
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { text: undefined, mode: 0 };
    throw programFileUnusable(path, `it cannot be opened (${systemCode(error)})`);
  }
  try {
    const stats = await file.stat();
    const { size, uid, nlink, mode } = stats;
    const us = process.geteuid?.();
    const why = [
      [!stats.isFile(), 'it is not a plain file'],
      [us !== undefined && uid !== us, `it belongs to another user (${uid})`],
      [us !== undefined && nlink > 1, 'it has a second name (hard link), which would be left behind'],
      [size > maxBytes, `it is larger than ${maxBytes} bytes`],
    ].find(([is]) => is)?.[1];
    if (why !== undefined) throw programFileUnusable(path, String(why));
    return { text: decode(path, await file.readFile()), mode: mode & 0o7777 };
  } finally {
    await file.close();
  }
}

/** Whoever may write to the folder could put another file in its place. */
async function checkFolder(path: string): Promise<void> {
  const folder = await stat(path).catch(() => undefined);
  if (folder === undefined || process.platform === 'win32') return;
  if ((folder.mode & 0o002) !== 0 && (folder.mode & 0o1000) === 0) {
    throw programFileUnusable(path, 'everybody on this machine may write to this folder');
  }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw programFileUnusable(path, 'it is not UTF-8');
  }
}

async function unchanged(file: ProgramFile): Promise<Content> {
  const now = await readFile(file.path);
  if (now.text !== file.text) throw programFileChanged(file.path);
  return now;
}

async function written(path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw error instanceof Failure ? error : programFileUnwritable(path, systemCode(error));
  }
}

/** @throws an error of the file system */
export async function replaceProgramFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.new`);
  await replaceFile(path, text, mode, temporary);
}
