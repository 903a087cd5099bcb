import { hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { Terminal } from '../../core/ports.js';
import { pathRefused } from '../state-failures.js';
import { type KeyWay, storeKeyMissing, storeKeyNeeded, storeKeyUnsafe, storeKeyWrong } from './failures.js';
import { seal, unseal } from './sealed-file.js';

/** What all sealed files of a folder have in common: nothing secret. */
export interface StoreHead {
  readonly way: KeyWay;
  readonly salt: Buffer;
  /** A known text sealed with the key, so that a wrong key is told from a damaged file. */
  readonly check: string;
}

export type HeadText =
  | { readonly ok: true; readonly head: StoreHead }
  | { readonly ok: false; readonly problem: 'newer' | 'damaged' };

const pattern = /^postern-store 1 (key-file|passphrase) ([A-Za-z0-9_-]{43}) ([A-Za-z0-9_-]+)\n$/;

const known = 'postern';

/** RFC 7914; OWASP's parameters for interactive use: 128 MiB, about 0.3 s. */
const scryptCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

export function parseHead(text: string): HeadText {
  const [, way, salt, check] = pattern.exec(text) ?? [];
  if ((way === 'key-file' || way === 'passphrase') && salt !== undefined && check !== undefined) {
    return { ok: true, head: { way, salt: Buffer.from(salt, 'base64url'), check } };
  }
  return {
    ok: false,
    problem: /^postern-store [1-9][0-9]* /.test(text) && !/^postern-store 1 /.test(text) ? 'newer' : 'damaged',
  };
}

export function headText({ way, salt, check }: StoreHead): string {
  return `postern-store 1 ${way} ${salt.toString('base64url')} ${check}\n`;
}

/** A head with a fresh salt, for files that are to be sealed from now on. */
export async function newHead(way: KeyWay, material: Buffer): Promise<StoreHead> {
  const salt = randomBytes(32);
  const key = await deriveKey(way, material, salt);
  return { way, salt, check: seal(key, checkName(way), known) };
}

/** The key that opens this head's files; undefined when it is made from something else. */
export async function keyOf({ way, salt, check }: StoreHead, material: Buffer): Promise<Buffer | undefined> {
  const key = await deriveKey(way, material, salt);
  return unseal(key, checkName(way), check) === known ? key : undefined;
}

function checkName(way: KeyWay): string {
  return `postern-store 1 ${way}`;
}

/** HKDF (RFC 5869) for the bytes of a key file, scrypt for what a person can remember. */
function deriveKey(way: KeyWay, material: Buffer, salt: Buffer): Promise<Buffer> {
  if (way === 'key-file') {
    return Promise.resolve(Buffer.from(hkdfSync('sha256', material, salt, 'postern sealed files 1', 32)));
  }
  return new Promise((resolve, reject) => {
    scrypt(material, salt, 32, scryptCost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

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
      throw storeKeyUnsafe(path, 'it lies in the folder of the sealed files, which it would protect from nobody');
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
  if (!stats.isFile()) return 'it is not a plain file';
  if (stats.size < fewestBytes || stats.size > mostBytes) {
    return `it has ${stats.size} bytes; a key has ${fewestBytes} to ${mostBytes}, random ones`;
  }
  if (us === undefined) {
    return undefined; // Windows is left to its access lists
  }
  if (stats.uid !== us && stats.uid !== 0) return `it belongs to user ${stats.uid}, not to you (${us})`;
  const mode = stats.mode & 0o777;
  const closed = maySystemd && stats.uid === 0 ? 0o037 : 0o077;
  return (mode & closed) === 0 ? undefined : `other users have access to it (mode ${mode.toString(8)}; chmod 600)`;
}

/** What a key is derived from. */
export interface KeyMaterial {
  readonly way: KeyWay;
  readonly bytes: Buffer;
}

export interface KeySourceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly stateFolder: string;
  readonly signal: AbortSignal;
}

const fewestCharacters = 10;

const mostTries = 3;

/**
 * What the files of this head open with: its key file, or the passphrase, asked for at the terminal.
 * @throws Failure `store_key_missing`, `store_key_unsafe`, `store_key_wrong`
 */
export async function materialFor(head: StoreHead, options: KeySourceOptions): Promise<KeyMaterial> {
  const { way } = head;
  if (way === 'key-file') {
    const bytes = readKeyFile(options.env, options.stateFolder);
    if (bytes === undefined) throw storeKeyNeeded(way);
    if ((await keyOf(head, bytes)) === undefined) throw storeKeyWrong(way);
    return { way, bytes };
  }
  const { terminal } = options;
  if (!terminal.interactive) throw storeKeyNeeded(way);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const bytes = await askPassphrase(options, 'Passphrase of the sealed files: ');
    if (bytes === undefined) throw storeKeyNeeded(way);
    if ((await keyOf(head, bytes)) !== undefined) return { way, bytes };
    terminal.tell('That is not it.');
  }
  throw storeKeyWrong(way);
}

/**
 * What new files are to be sealed with: the key file where there is one, else a passphrase that the person chooses.
 * @throws Failure `store_key_missing`, `store_key_unsafe`
 */
export async function newMaterial(options: KeySourceOptions): Promise<KeyMaterial> {
  const { terminal } = options;
  const file = readKeyFile(options.env, options.stateFolder);
  if (file !== undefined) return { way: 'key-file', bytes: file };
  if (!terminal.interactive) throw storeKeyMissing();
  terminal.tell('Logins are kept in sealed files. Choose their passphrase; without it they cannot be opened.');
  for (;;) {
    const bytes = await askPassphrase(options, `New passphrase (at least ${fewestCharacters} characters): `);
    if (bytes === undefined) throw storeKeyMissing();
    if ([...bytes.toString()].length < fewestCharacters) {
      terminal.tell('That is too short.');
      continue;
    }
    const again = await askPassphrase(options, 'Once more: ');
    if (again === undefined) throw storeKeyMissing();
    if (again.equals(bytes)) return { way: 'passphrase', bytes };
    terminal.tell('These two differ.');
  }
}

/** The same bytes whatever keyboard composed the characters (NFC). */
async function askPassphrase(options: KeySourceOptions, question: string): Promise<Buffer | undefined> {
  const typed = await options.terminal.ask(question, { hidden: true, signal: options.signal });
  return typed === undefined ? undefined : Buffer.from(typed.normalize('NFC'));
}
