import { createHash } from 'node:crypto';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isFailure } from '../../core/failure.js';
import { readIfThere } from '../../stores/state/private-file.js';
import { replacePrivateFile } from '../../stores/state/safe-file.js';
import { removeShimFile } from './program-files.js';

/** A program that `credential --shim` wrote for others: where it is, and how it is known. */
export interface NotedShim {
  readonly path: string;
  readonly mark: string;
  /** SHA-256 of what was written. */
  readonly digest: string;
}

const maxNoteBytes = 16 * 1024;

export const digestOf = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');

const noteName = (path: string) => `shim-${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`;

/**
 * Notes a shim, so that `uninstall` finds it: one file for each, which needs no lock.
 * @param folder Of the records of `setup`, in the state folder.
 */
export async function noteShim(folder: string, { path, mark, digest }: NotedShim): Promise<void> {
  try {
    await replacePrivateFile(join(folder, noteName(path)), `${JSON.stringify({ version: 1, path, mark, digest })}\n`);
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

/** Removes a shim that is still ours, and the note; false where somebody has changed it, or taken it away. */
export async function removeNotedShim(folder: string, { path, mark, digest }: NotedShim): Promise<boolean> {
  const isOurs = digest === (await readFile(path).then(digestOf, () => undefined));
  const isRemoved = isOurs && (await removeShimFile(path, mark));
  await unlink(join(folder, noteName(path))).catch(() => undefined);
  return isRemoved;
}

function noteIn(bytes: Uint8Array | undefined): NotedShim | undefined {
  try {
    const note = JSON.parse(new TextDecoder().decode(bytes));
    const isNote = [note?.path, note?.mark, note?.digest].every((one) => typeof one === 'string');
    return note?.version === 1 && isNote ? { path: note.path, mark: note.mark, digest: note.digest } : undefined;
  } catch {
    return undefined;
  }
}
