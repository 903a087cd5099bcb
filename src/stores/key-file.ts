import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { type Failure, systemCode } from '../core/failure.js';
import { accessProblem } from '../core/files.js';
import { pathRefused, storeKeyUnsafe } from './failures.js';

type Environment = Readonly<Record<string, string | undefined>>;

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read (permission denied)',
  EISDIR: 'it is not a plain file',
  ENXIO: 'it is not a plain file',
};

/** What a file holds; else why it was not read, which ends a sentence about it. */
export type PlainFile = { readonly bytes: Buffer } | { readonly why: string; readonly isMissing: boolean };

/**
 * Reads a file that another program may have made. A link is followed, as containers have them; a pipe or a device is not
 * waited for.
 * @param problem What makes the file unfit, if anything.
 */
export function readPlainFile(
  path: string,
  maxBytes: number,
  problem: (stats: Stats) => string | undefined = () => undefined,
): PlainFile {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error);
    return { why: unreadable[code] ?? `opening it failed (${code})`, isMissing: code === 'ENOENT' };
  }
  try {
    const stats = fstatSync(file);
    const why = stats.isFile() ? problem(stats) : 'it is not a plain file';
    if (why !== undefined) return { why, isMissing: false };
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null);
    }
    if (length > maxBytes) return { why: `it is longer than ${maxBytes} bytes`, isMissing: false };
    return { bytes: buffer.subarray(0, length) };
  } finally {
    closeSync(file);
  }
}

/** Where a file with a key or a password is named: by a variable, or as a credential of systemd. */
export interface KeyName {
  readonly variable: string;
  readonly credential: string;
}

interface Wanted {
  readonly maxBytes: number;
  readonly problem?: (stats: Stats, path: string) => string | undefined;
  /** @param why Ends a sentence about the file. */
  readonly refuse: (path: string, why: string) => Failure;
}

/**
 * The file that the variable names, else systemd's credential; undefined where there is neither. It is its user's alone, or
 * root's.
 * @throws Failure of `refuse`, `path_refused`
 */
export function readNamedFile(
  env: Environment,
  { variable, credential }: KeyName,
  { maxBytes, problem, refuse }: Wanted,
): { readonly path: string; readonly bytes: Buffer } | undefined {
  const named = env[variable] ?? '';
  const credentials = env['CREDENTIALS_DIRECTORY'] ?? '';
  if (named !== '' && (!isAbsolute(named) || named.includes('\0'))) throw pathRefused(variable, named);
  if (named === '' && !isAbsolute(credentials)) return undefined;
  const isSystemds = named === '';
  const path = isSystemds ? join(credentials, credential) : named;
  const file = readPlainFile(path, maxBytes, (stats) => {
    // systemd opens one to a service by an access list, which shows as mode 0440.
    const denied = isSystemds && stats.uid === 0 ? 0o037 : 0o077;
    const access = { orRoots: true, denied, hint: '; chmod 600' };
    return problem?.(stats, path) ?? accessProblem(stats, process.geteuid?.(), access);
  });
  if ('bytes' in file) return { path, bytes: file.bytes };
  if (isSystemds && file.isMissing) return undefined;
  throw refuse(path, file.why);
}

const keyBytes = { min: 32, max: 4096 };

/** 32 random bytes have fewer different ones once in 10^30 times; a text typed or a file of zeros does. */
const minDifferent = 10;

/** The key of sealed files, and of what every machine of a fleet reads. */
export const storeKey: KeyName = { variable: 'POSTERN_STORE_KEY_FILE', credential: 'postern-store-key' };

/**
 * The bytes of a key file; undefined where none is named.
 * @param stateFolder A key in the same folder as what it opens protects nothing.
 * @throws Failure `store_key_unsafe`, `path_refused`
 */
export function readKeyFile(
  { env, stateFolder }: { readonly env: Environment; readonly stateFolder: string },
  name: KeyName = storeKey,
): Buffer | undefined {
  const problem = ({ size }: Stats, path: string) => {
    // A machine on which nothing was written yet has no such folder.
    const folder = existsSync(stateFolder) ? realpathSync(stateFolder) : stateFolder;
    if (`${realpathSync(path)}${sep}`.startsWith(`${folder}${sep}`)) {
      return 'it is in the folder of the sealed files, so it would protect nothing';
    }
    const { min, max } = keyBytes;
    return size < min || size > max ? `it has ${size} bytes; a key has ${min} to ${max}, random ones` : undefined;
  };
  const file = readNamedFile(env, name, { maxBytes: keyBytes.max, problem, refuse: storeKeyUnsafe });
  if (file !== undefined && new Set(file.bytes).size < minDifferent) {
    throw storeKeyUnsafe(file.path, 'its bytes are not random');
  }
  return file?.bytes;
}
