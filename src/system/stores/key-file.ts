import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { storeKeyUnsafe } from '../../errors/file-store.js';
import { pathRefused } from '../../errors/state.js';

type Environment = Readonly<Record<string, string | undefined>>;

const fewestBytes = 32;
const mostBytes = 4096;
/** 32 random bytes have fewer different ones once in 10^30 times; a text typed or a file of zeros does. */
const fewestDifferent = 10;

/**
 * The bytes of the key file that `POSTERN_STORE_KEY_FILE` names, else of systemd's credential `postern-store-key`;
 * undefined where there is neither. A symbolic link is followed, as containers have them: what counts is the file.
 * @param stateFolder A real folder. A key that lies beside what it opens protects nothing.
 * @throws Failure `store_key_unsafe`, `path_refused`
 */
export function readKeyFile(env: Environment, stateFolder: string): Buffer | undefined {
  const named = env['POSTERN_STORE_KEY_FILE'] ?? '';
  if (named !== '') {
    if (!isAbsolute(named) || named.includes('\0')) throw pathRefused('POSTERN_STORE_KEY_FILE', named);
    return readKey(named, { stateFolder, maySystemd: false, required: true });
  }
  const credentials = env['CREDENTIALS_DIRECTORY'] ?? '';
  return isAbsolute(credentials)
    ? readKey(join(credentials, 'postern-store-key'), { stateFolder, maySystemd: true, required: false })
    : undefined;
}

interface Conditions {
  readonly stateFolder: string;
  /** systemd opens a root-owned credential to its service by an access list, which shows as mode 0440. */
  readonly maySystemd: boolean;
  readonly required: boolean;
}

function readKey(path: string, conditions: Conditions): Buffer | undefined {
  let file: number;
  try {
    if (`${realpathSync(path)}${sep}`.startsWith(`${realpathSync(conditions.stateFolder)}${sep}`)) {
      throw storeKeyUnsafe(
        path,
        'it lies in the folder of the sealed files, which it would protect from nobody',
      );
    }
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !conditions.required) return undefined;
    const words: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EACCES: 'it may not be read (permission denied)',
    };
    const why = words[String(code)];
    throw why === undefined ? error : storeKeyUnsafe(path, why);
  }
  try {
    const stats = fstatSync(file);
    const why = problem(stats, conditions.maySystemd);
    if (why !== undefined) throw storeKeyUnsafe(path, why);
    const bytes = Buffer.alloc(stats.size);
    const length = readSync(file, bytes, 0, stats.size, 0);
    if (new Set(bytes.subarray(0, length)).size < fewestDifferent) {
      throw storeKeyUnsafe(path, 'its bytes are not random');
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function problem(stats: Stats, maySystemd: boolean): string | undefined {
  const us = process.geteuid?.();
  if (!stats.isFile()) {
    return 'it is not a plain file';
  }
  if (stats.size < fewestBytes || stats.size > mostBytes) {
    return `it has ${stats.size} bytes; a key has ${fewestBytes} to ${mostBytes}, random ones`;
  }
  if (us === undefined) {
    return undefined; // Windows is left to its access lists
  }
  if (stats.uid !== us && stats.uid !== 0) {
    return `it belongs to user ${stats.uid}, not to you (${us})`;
  }
  const mode = stats.mode & 0o777;
  const closed = maySystemd && stats.uid === 0 ? 0o037 : 0o077;
  return (mode & closed) === 0
    ? undefined
    : `other users have access to it (mode ${mode.toString(8)}; chmod 600)`;
}
