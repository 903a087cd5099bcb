import { readdir, unlink } from 'node:fs/promises';
import { stateUnsafe, stateUnwritable } from '../../errors/state.js';
import { readPrivateFile } from '../state/private-file.js';

/** base64 of the largest value, and what stands around it. */
const maxFileBytes = 131_072;

/** A private file's text; undefined where there is none. @throws Failure `state_unsafe` */
export function readText(path: string): string | undefined {
  const file = readPrivateFile(path, maxFileBytes);
  if (file.ok) {
    return Buffer.from(file.bytes).toString('latin1');
  }
  if (file.problem === 'unsafe') throw stateUnsafe(path, file.why);
  return undefined;
}

/** The names of all sealed files in a folder, which may not be there. */
export async function sealedNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.sealed'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw stateUnwritable(folder, error);
  }
}

/** Deletes a name, never what a link there leads to; false when there was none. @throws Failure `state_unwritable` */
export async function unlinked(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw stateUnwritable(path, error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
