import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, type Stats, writeFileSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { type Failure, systemCode } from '../core/failure.js';
import { accessProblem } from '../core/files.js';
import { Secret } from '../core/secret.js';
import { localKeyUnusable, pathRefused, storeKeyUnsafe } from './failures.js';
import { type CheckedFile, readChecked } from './private-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** As `readChecked`, of a file that another program may have made. A link is followed, as containers have them. */
export function readPlainFile(
  path: string,
  maxBytes: number,
  problem: Parameters<typeof readChecked>[2] = () => undefined,
): CheckedFile {
  try {
    return readChecked(path, maxBytes, problem);
  } catch (error) {
    return { ok: false, problem: 'unsafe', why: `opening it failed (${systemCode(error)})` };
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
  if (file.ok) return { path, bytes: file.bytes };
  if (isSystemds && file.problem === 'absent') return undefined;
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

/** 256 random bits: 43 characters of base64url, so that it can stand in a path as it is. */
export function newKey(): Secret {
  return new Secret(randomBytes(32).toString('base64url'));
}

/** The key of a proxy, in a file that is made where it is missing. @throws Failure `local_key_unusable` */
export function keyInFile(path: string): Secret {
  const file = readPlainFile(path, 64, (stats) => accessProblem(stats, process.geteuid?.(), { hint: '; chmod 600' }));
  if (!file.ok) {
    if (file.problem === 'absent') return made(path);
    throw localKeyUnusable(path, file.why);
  }
  const [, key] = /^([\w-]{43})\r?\n?$/.exec(file.bytes.toString('latin1')) ?? [];
  if (key === undefined) throw localKeyUnusable(path, 'it holds no key that postern proxy has made');
  return new Secret(key);
}

function made(path: string): Secret {
  const key = newKey();
  try {
    writeFileSync(path, `${key.reveal()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw localKeyUnusable(path, `it cannot be made (${systemCode(error)})`);
  }
  return key;
}
