import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { homeFolder, statePaths } from '../paths.js';
import { ensurePrivateFolder, readIfThere } from '../state/private-file.js';
import { pathsIn, removeFile, replaceFile } from '../state/safe-file.js';

/** The part used of Node's `node:sea`: files that lie in the executable itself. */
interface Sea {
  readonly isSea: () => boolean;
  readonly getRawAsset: (name: string) => ArrayBuffer;
}

/** What lies in this executable; undefined where the program is started by a Node.js beside it. */
export function singleExecutable(): Pick<Sea, 'getRawAsset'> | undefined {
  const sea = process.getBuiltinModule('node:sea') as Sea;
  return sea.isSea() ? sea : undefined;
}

/** The first word of the command line by which the executable becomes the process for one use of the keychain. */
export const keychainWord = '__keychain';

/**
 * The system loads compiled code from files alone. It is written into a folder of the state folder, which is closed to
 * others: in a folder for temporary files, or beside an executable that was downloaded, others may write. What is there
 * is loaded only if it is, byte for byte, what lies in the executable.
 * @returns An absolute path. @throws Failure `path_refused`, `state_unsafe`, or the system's error
 */
export async function unpackedNative(
  executable: Pick<Sea, 'getRawAsset'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const bytes = new Uint8Array(executable.getRawAsset('keychain.node'));
  const here = statePaths(env, process.platform, homeFolder());
  await ensurePrivateFolder(here.state);
  const folder = join(here.state, 'native');
  await ensurePrivateFolder(folder);
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex')}.node`);
  const found = readIfThere(path, bytes.byteLength + 1)?.bytes;
  if (found !== undefined && Buffer.compare(found, bytes) === 0) return path;
  await replaceFile(path, bytes, 0o600, `${path}.${process.pid}`);
  for (const other of await pathsIn(folder)) {
    // Of an older version; on Windows one that is in use stays.
    if (other.endsWith('.node') && basename(other) !== basename(path)) await removeFile(other).catch(() => undefined);
  }
  return path;
}
