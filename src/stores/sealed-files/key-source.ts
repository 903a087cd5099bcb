import { existsSync, realpathSync, type Stats } from 'node:fs';
import { sep } from 'node:path';
import type { Terminal } from '../../core/ports.js';
import { type KeyName, readNamedFile } from '../key-file.js';
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

/** The key of sealed files, and of what every machine of a fleet reads. */
export const storeKey: KeyName = { variable: 'POSTERN_STORE_KEY_FILE', credential: 'postern-store-key' };

/** The bytes of a key file; undefined where none is named. @throws Failure `store_key_unsafe`, `path_refused` */
export function readKeyFile(
  { env, stateFolder }: Pick<KeySourceOptions, 'env' | 'stateFolder'>,
  name: KeyName = storeKey,
): Buffer | undefined {
  const problem = ({ size }: Stats, path: string) => {
    // A machine on which nothing was written yet has no such folder.
    const folder = existsSync(stateFolder) ? realpathSync(stateFolder) : stateFolder;
    if (`${realpathSync(path)}${sep}`.startsWith(`${folder}${sep}`)) {
      return 'it lies in the folder of the sealed files, which it would protect from nobody';
    }
    const { min, max } = keyBytes;
    return size < min || size > max ? `it has ${size} bytes; a key has ${min} to ${max}, random ones` : undefined;
  };
  const file = readNamedFile(env, name, { problem, refuse: storeKeyUnsafe });
  if (file !== undefined && new Set(file.bytes).size < minDifferent) {
    throw storeKeyUnsafe(file.path, 'its bytes are not random');
  }
  return file?.bytes;
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
  const { terminal } = options;
  for (let tries = 0; tries < maxTries && terminal.interactive; tries += 1) {
    const bytes = await askPassphrase(options, 'Passphrase of the sealed files: ');
    if (bytes === undefined) throw storeKeyNeeded(way);
    if ((await keyOf(head, { way, bytes })) !== undefined) return { way, bytes };
    terminal.tell('That is not it.');
  }
  throw terminal.interactive ? storeKeyWrong(way) : storeKeyNeeded(way);
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
  return { way: 'passphrase', bytes: await choosePassphrase(options) };
}

/** A passphrase that the person chooses, typed twice. @throws Failure `store_key_missing` */
async function choosePassphrase(options: KeySourceOptions): Promise<Buffer> {
  for (;;) {
    const bytes = await askPassphrase(options, `New passphrase (at least ${minCharacters} characters): `);
    if (bytes === undefined) throw storeKeyMissing();
    if ([...bytes.toString()].length < minCharacters) {
      options.terminal.tell('That is too short.');
      continue;
    }
    const again = await askPassphrase(options, 'Once more: ');
    if (again === undefined) throw storeKeyMissing();
    if (again.equals(bytes)) return bytes;
    options.terminal.tell('These two differ.');
  }
}

/** The same bytes whatever keyboard composed the characters (NFC). */
async function askPassphrase({ terminal, signal }: KeySourceOptions, question: string): Promise<Buffer | undefined> {
  const typed = await terminal.ask(question, { hidden: true, signal });
  return typed === undefined ? undefined : Buffer.from(typed.normalize('NFC'));
}
