import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { type Failure, systemCode } from '../../core/failure.js';
import { accessProblem } from '../../core/file-access.js';
import type { Terminal } from '../../core/ports.js';
import { pathRefused } from '../state-failures.js';
import { storeKeyMissing, storeKeyNeeded, storeKeyUnsafe, storeKeyWrong } from './failures.js';
import { type KeyMaterial, keyOf, type StoreHead } from './sealed-file.js';

export interface KeySourceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** A real folder. A key in the same folder as what it opens protects nothing. */
  readonly stateFolder: string;
  readonly signal: AbortSignal;
}

const keyBytes = { min: 32, max: 4096 };

/** 32 random bytes have fewer different ones once in 10^30 times; a text typed or a file of zeros does. */
const minDifferent = 10;

const minCharacters = 10;

const maxTries = 3;

/** Where a key is named: by a variable, or as a credential of systemd. */
export interface KeyName {
  readonly variable: string;
  readonly credential: string;
}

/** The key of sealed files, and of what every machine of a fleet reads. */
export const storeKey: KeyName = { variable: 'POSTERN_STORE_KEY_FILE', credential: 'postern-store-key' };

/**
 * The bytes of the key file that the variable names, else of systemd's credential; undefined where there is neither. A
 * symbolic link is followed, as containers have them: what counts is the file.
 * @throws Failure `store_key_unsafe`, `path_refused`
 */
export function readKeyFile(
  { env, stateFolder }: Pick<KeySourceOptions, 'env' | 'stateFolder'>,
  { variable, credential }: KeyName = storeKey,
): Buffer | undefined {
  const named = env[variable] ?? '';
  if (named !== '') {
    if (!isAbsolute(named) || named.includes('\0')) throw pathRefused(variable, named);
    return readKey(named, stateFolder, false);
  }
  const credentials = env['CREDENTIALS_DIRECTORY'] ?? '';
  return isAbsolute(credentials) ? readKey(join(credentials, credential), stateFolder, true) : undefined;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read (permission denied)',
};

/** @param isSystemds One of systemd may be missing, and open to a service by an access list, which shows as mode 0440. */
function readKey(path: string, stateFolder: string, isSystemds: boolean): Buffer | undefined {
  let file: number;
  try {
    // A machine on which nothing was written yet has no such folder.
    const inside = existsSync(stateFolder) ? realpathSync(stateFolder) : stateFolder;
    if (`${realpathSync(path)}${sep}`.startsWith(`${inside}${sep}`)) {
      throw storeKeyUnsafe(path, 'it lies in the folder of the sealed files, which it would protect from nobody');
    }
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' && isSystemds) return undefined;
    const why = unreadable[code];
    throw why === undefined ? error : storeKeyUnsafe(path, why);
  }
  try {
    const why = problem(fstatSync(file), isSystemds);
    if (why !== undefined) throw storeKeyUnsafe(path, why);
    const bytes = readFileSync(file);
    if (new Set(bytes).size < minDifferent) throw storeKeyUnsafe(path, 'its bytes are not random');
    return bytes;
  } finally {
    closeSync(file);
  }
}

function problem(stats: Stats, isSystemds: boolean): string | undefined {
  if (!stats.isFile()) return 'it is not a plain file';
  if (stats.size < keyBytes.min || stats.size > keyBytes.max) {
    return `it has ${stats.size} bytes; a key has ${keyBytes.min} to ${keyBytes.max}, random ones`;
  }
  const denied = isSystemds && stats.uid === 0 ? 0o037 : 0o077;
  return accessProblem(stats, process.geteuid?.(), { orRoots: true, denied, hint: '; chmod 600' });
}

/**
 * What the files of this head open with: its key file, or the passphrase, asked for at the terminal.
 * @throws Failure `store_key_missing`, `store_key_unsafe`, `store_key_wrong`
 */
export async function materialFor(head: StoreHead, options: KeySourceOptions): Promise<KeyMaterial> {
  const { way } = head;
  if (way === 'key-file') {
    const bytes = readKeyFile(options);
    if (bytes === undefined) throw storeKeyNeeded(way);
    return { way, bytes };
  }
  const bytes = await askUntilRight(options, {
    question: 'Passphrase of the sealed files: ',
    opens: async (typed) => ((await keyOf(head, { way, bytes: typed })) === undefined ? undefined : typed),
    nobody: () => storeKeyNeeded(way),
    wrong: () => storeKeyWrong(way),
  });
  return { way, bytes };
}

type Asking = Pick<KeySourceOptions, 'terminal' | 'signal'>;

/**
 * What a passphrase opens that was chosen before. The person has three tries.
 * @throws Failure as `nobody` and `wrong` make them
 */
async function askUntilRight<Opened>(
  asking: Asking,
  {
    question,
    opens,
    nobody,
    wrong,
  }: {
    readonly question: string;
    readonly opens: (typed: Buffer) => Promise<Opened | undefined>;
    readonly nobody: () => Failure;
    readonly wrong: () => Failure;
  },
): Promise<Opened> {
  if (!asking.terminal.interactive) throw nobody();
  for (let tries = 0; tries < maxTries; tries += 1) {
    const typed = await askPassphrase(asking, question);
    if (typed === undefined) throw nobody();
    const opened = await opens(typed);
    if (opened !== undefined) return opened;
    asking.terminal.tell('That is not it.');
  }
  throw wrong();
}

/**
 * What new files are to be sealed with: the key file where there is one, else a passphrase that the person chooses.
 * @throws Failure `store_key_missing`, `store_key_unsafe`
 */
export async function newMaterial(options: KeySourceOptions): Promise<KeyMaterial> {
  const { terminal } = options;
  const file = readKeyFile(options);
  if (file !== undefined) return { way: 'key-file', bytes: file };
  if (!terminal.interactive) throw storeKeyMissing();
  terminal.tell('Logins are kept in sealed files. Choose their passphrase; without it they cannot be opened.');
  return { way: 'passphrase', bytes: await choosePassphrase(options, 'New passphrase', storeKeyMissing) };
}

/** A passphrase that the person chooses, typed twice. @throws Failure as `nobody` makes it */
async function choosePassphrase(asking: Asking, what: string, nobody: () => Failure): Promise<Buffer> {
  for (;;) {
    const bytes = await askPassphrase(asking, `${what} (at least ${minCharacters} characters): `);
    if (bytes === undefined) throw nobody();
    if ([...bytes.toString()].length < minCharacters) {
      asking.terminal.tell('That is too short.');
      continue;
    }
    const again = await askPassphrase(asking, 'Once more: ');
    if (again === undefined) throw nobody();
    if (again.equals(bytes)) return bytes;
    asking.terminal.tell('These two differ.');
  }
}

/** The same bytes whatever keyboard composed the characters (NFC). */
async function askPassphrase({ terminal, signal }: Asking, question: string): Promise<Buffer | undefined> {
  const typed = await terminal.ask(question, { hidden: true, signal });
  return typed === undefined ? undefined : Buffer.from(typed.normalize('NFC'));
}
