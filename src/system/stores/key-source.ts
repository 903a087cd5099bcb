import { type KeyWay, storeKeyMissing, storeKeyNeeded, storeKeyWrong } from '../../errors/file-store.js';
import type { Terminal } from '../../ports.js';
import { readKeyFile } from './key-file.js';
import { keyOf, type StoreHead } from './store-head.js';

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
  if (file !== undefined) {
    return { way: 'key-file', bytes: file };
  }
  if (!terminal.interactive) throw storeKeyMissing();
  terminal.tell(
    'Logins are kept in sealed files. Choose their passphrase; without it they cannot be opened.',
  );
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
