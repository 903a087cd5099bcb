import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../errors/failure.js';
import { stateUnwritable } from '../../errors/state.js';
import { ensurePrivateFolder } from './private-folder.js';

/**
 * Takes room on the disk by a file of random bytes (which no file system can store in less), until it is given back by
 * `giveRoom`. Not synced: file systems account for what is written at once. The caller holds a lock for this file.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function takeRoom(path: string, bytes: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  await ensurePrivateFolder(dirname(path));
  await giveRoom(path); // of a process that was killed
  try {
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await file.writeFile(randomBytes(bytes));
    } finally {
      await file.close();
    }
  } catch (cause) {
    await giveRoom(path).catch(() => undefined);
    throw cause instanceof Failure ? cause : stateUnwritable(path, cause);
  }
}

/** @throws Failure `state_unwritable` */
export async function giveRoom(path: string): Promise<void> {
  await unlink(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw stateUnwritable(path, cause);
  });
}
