import { hkdfSync, randomBytes, scrypt } from 'node:crypto';
import type { Terminal } from '../../core/ports.js';
import {
  type KeyWay,
  sealedFileNewer,
  sealedHeadDamaged,
  storeKeyMissing,
  storeKeyNeeded,
  storeKeyWrong,
} from '../failures.js';
import { readKeyFile } from '../key-file.js';
import { readIfThere } from '../private-file.js';
import { sealText, unsealText } from '../seal.js';
import { pathsIn } from '../state/safe-file.js';

/** The largest value in base64, and some more. */
const maxFileBytes = 131_072;

/** Is there any sealed file in the folder? It may not be there. */
export async function hasSealedFiles(folder: string): Promise<boolean> {
  return (await pathsIn(folder)).some((path) => path.endsWith('.sealed'));
}

/** A private file's text, of this release's form; undefined where there is none. @throws Failure `state_unsafe`, `credential_newer` */
export function readText(path: string, kind: 'sealed' | 'store'): string | undefined {
  const file = readIfThere(path, maxFileBytes);
  const text = file && Buffer.from(file.bytes).toString('latin1');
  const isNewer = text !== undefined && new RegExp(`^postern-${kind} (?!1 )[1-9][0-9]* `).test(text);
  if (isNewer) throw sealedFileNewer(path);
  return text;
}

/** What all sealed files of a folder have in common: nothing secret. */
export interface StoreHead {
  readonly text: string;
  readonly way: KeyWay;
  readonly salt: Buffer;
  /** A known text sealed with the key, which tells a wrong key from a damaged file. */
  readonly check: string;
}

/** What a key is derived from. */
export interface KeyMaterial {
  readonly way: KeyWay;
  readonly bytes: Buffer;
}

const headPattern = /^postern-store 1 (key-file|passphrase) ([A-Za-z0-9_-]{43}) ([A-Za-z0-9_-]+)\n$/;

const knownText = 'postern';

/** RFC 7914; OWASP's parameters for interactive use: 128 MiB, about 0.3 s. */
const scryptCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

/** Undefined where there is none. @throws Failure `state_unsafe`, `credential_newer`, `store_damaged` */
export function readHead(path: string): StoreHead | undefined {
  const text = readText(path, 'store');
  if (text === undefined) return undefined;
  const [, way, salt = '', check = ''] = headPattern.exec(text) ?? [];
  if (way !== 'key-file' && way !== 'passphrase') throw sealedHeadDamaged(path);
  return { text, way, salt: Buffer.from(salt, 'base64url'), check };
}

/** A head with a fresh salt, for files that are to be sealed from now on. */
export async function newHead({ way, bytes }: KeyMaterial): Promise<StoreHead> {
  const salt = randomBytes(32);
  const check = sealText(await deriveKey(way, bytes, salt), checkName(way), knownText);
  return { way, salt, check, text: `${checkName(way)} ${salt.toString('base64url')} ${check}\n` };
}

/** The key that opens this head's files; undefined when it is made from something else. */
export async function keyOf({ way, salt, check }: StoreHead, material: KeyMaterial): Promise<Buffer | undefined> {
  if (material.way !== way) return undefined;
  const key = await deriveKey(way, material.bytes, salt);
  return unsealText(key, checkName(way), check) === knownText ? key : undefined;
}

function checkName(way: KeyWay): string {
  return `postern-store 1 ${way}`;
}

/** HKDF (RFC 5869) for the bytes of a key file, scrypt for what a person can remember. */
function deriveKey(way: KeyWay, bytes: Buffer, salt: Buffer): Promise<Buffer> {
  if (way === 'key-file') {
    return Promise.resolve(Buffer.from(hkdfSync('sha256', bytes, salt, 'postern sealed files 1', 32)));
  }
  return new Promise((resolve, reject) => {
    scrypt(bytes, salt, 32, scryptCost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

export interface KeySourceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** A real folder. A key in the same folder as what it opens protects nothing. */
  readonly stateFolder: string;
  readonly signal: AbortSignal;
}

const minCharacters = 10;

const maxTries = 3;

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
