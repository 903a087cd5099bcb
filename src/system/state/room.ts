import { randomBytes } from 'node:crypto';
import { constants, ftruncateSync, renameSync, writeSync } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../errors/failure.js';
import { stateUnwritable } from '../../errors/state.js';
import { ensurePrivateFolder } from './private-folder.js';
import { syncFolder } from './safe-file.js';

/** Room on the disk, taken before it is needed. It is given back at the end. */
export interface Room extends AsyncDisposable {
  /**
   * Puts a text into it and makes it the file at `path`, in place of one that is there. What SIGKILL interrupts is done
   * after two short calls; what a power cut interrupts, once this resolves. @throws Failure `state_unwritable`
   */
  become(path: string, text: string): Promise<void>;
}

const suffix = '.room';

/**
 * Takes room by a file of `bytes` random bytes (which no file system can store in less) after the line `head`. Not
 * synced: file systems account for what is written at once.
 * @param base The path without its end: each room has a name of its own, so that nobody writes into another's.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function takeRoom(base: string, head: string, bytes: number): Promise<Room> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  const path = `${base}.${randomBytes(8).toString('hex')}${suffix}`;
  await ensurePrivateFolder(dirname(path));
  try {
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    const room: Room = {
      become: async (to, text) => {
        try {
          const length = writeSync(file.fd, text, 0);
          ftruncateSync(file.fd, length);
          renameSync(path, to);
          await file.sync();
          await syncFolder(dirname(to));
        } catch (cause) {
          throw stateUnwritable(to, cause);
        }
      },
      [Symbol.asyncDispose]: async () => {
        await file.close();
        await removeFile(path);
      },
    };
    try {
      await file.chmod(0o600); // whatever the umask
      await file.writeFile(Buffer.concat([Buffer.from(`${head}\n`), randomBytes(bytes)]));
      return room;
    } catch (cause) {
      await Promise.resolve(room[Symbol.asyncDispose]()).catch(() => undefined);
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof Failure ? cause : stateUnwritable(path, cause);
  }
}

/** The paths of the rooms that were taken with this base and not given back. */
export async function roomsOf(base: string): Promise<readonly string[]> {
  const folder = dirname(base);
  try {
    const paths = (await readdir(folder)).map((name) => join(folder, name));
    return paths.filter((path) => path.startsWith(`${base}.`) && path.endsWith(suffix));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw stateUnwritable(folder, cause);
  }
}

/** @throws Failure `state_unwritable` */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw stateUnwritable(path, cause);
  });
}
