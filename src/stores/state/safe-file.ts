import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { stateUnwritable } from '../state-failures.js';
import { ensurePrivateFolder } from './private-file.js';

/**
 * Replaces a file as a whole, for good: a reader, a crash or a power cut sees the old text or the new one. The
 * caller holds a lock for this file, so a temporary file that is already there was left by a process that died.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  await ensurePrivateFolder(dirname(path));
  const temporary = join(dirname(path), `.${basename(path)}.new`);
  try {
    await unlink(temporary).catch(ignoreAbsent);
    await writeNew(temporary, text);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    throw cause instanceof Failure ? cause : stateUnwritable(path, cause);
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.chmod(0o600); // whatever the umask
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What was renamed or removed there stays so after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') {
    return; // folders cannot be opened there
  }
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
