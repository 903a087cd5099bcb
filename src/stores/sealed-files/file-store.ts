import { join } from 'node:path';
import { Secret } from '../../core/secret.js';
import { refuseTooLarge, sealedFileDamaged, sealedHeadDamaged, storeKeyWrong } from '../failures.js';
import type { SecretStore } from '../ports.js';
import { ensurePrivateFolder } from '../private-file.js';
import { sealText, unsealText } from '../seal.js';
import type { Locks } from '../state/locks.js';
import { removeFile, replacePrivateFile } from '../state/safe-file.js';
import {
  hasSealedFiles,
  type KeyMaterial,
  type KeySourceOptions,
  keyOf,
  materialFor,
  newHead,
  newMaterial,
  readHead,
  readText,
  type StoreHead,
} from './sealed-file.js';

const mark = 'postern-sealed 1 ';

/**
 * Secrets in sealed files, one each, in the folder `sealed` of the state folder. Each is bound to its name; files
 * that others could have written, and links, are refused; what cannot be opened is left as it is. Writers have a lock
 * between processes; readers need none, since files are replaced as a whole.
 */
export function createFileStore(options: VaultOptions): SecretStore {
  const folder = join(options.stateFolder, 'sealed');
  const vault = new Vault(folder, options);
  return {
    kind: 'file',
    ready: async () => {
      await vault.open();
      await using _lock = await vault.lock();
      await vault.keyForWriting();
    },
    read: async (key) => {
      const path = pathOf(folder, key);
      const file = readText(path, 'sealed');
      if (file === undefined) return undefined;
      const sealed = /^postern-sealed 1 ([A-Za-z0-9_-]+)\n$/.exec(file)?.[1];
      const text = sealed && unsealText(await vault.keyForReading(), `${mark}${key}`, sealed);
      if (text === undefined) throw sealedFileDamaged(path);
      return new Secret(text);
    },
    write: async (key, value) => {
      const path = pathOf(folder, key);
      const text = value.reveal();
      refuseTooLarge(text);
      await vault.open();
      await using _lock = await vault.lock();
      const sealingKey = await vault.keyForWriting();
      readText(path, 'sealed'); // throws: neither a link nor what a later release wrote is replaced
      await replacePrivateFile(path, `${mark}${sealText(sealingKey, `${mark}${key}`, text)}\n`);
    },
    remove: async (key) => {
      const path = pathOf(folder, key);
      await using _lock = await vault.lock();
      const isRemoved = await removeFile(path);
      await removeFile(join(folder, `.${key}.sealed.new`)); // of a writer that was killed
      await vault.removeIfEmpty();
      return isRemoved;
    },
  };
}

/** Names never become paths: a key is a hash. */
function pathOf(folder: string, key: string): string {
  if (!/^[0-9a-f]{64}$/.test(key)) throw new TypeError('this is no key of a store');
  return join(folder, `${key}.sealed`);
}

interface VaultOptions extends KeySourceOptions {
  readonly locks: Locks;
}

/** A write takes milliseconds, and scrypt a second on a slow machine. */
const lockWaitMs = 30_000;

/** The key of one folder, and the head that it is made by. */
class Vault {
  readonly #folder: string;
  readonly #headPath: string;
  readonly #options: VaultOptions;
  #material: KeyMaterial | undefined;
  #opened: { readonly head: string; readonly key: Buffer } | undefined;

  constructor(folder: string, options: VaultOptions) {
    this.#folder = folder;
    this.#headPath = join(folder, 'head');
    this.#options = options;
  }

  lock(): Promise<AsyncDisposable> {
    const { signal, locks } = this.#options;
    return locks.acquire('sealed-files', { waitMs: lockWaitMs, signal });
  }

  /** Gets hold of what the key is made from; asks the person at most once, and not under the lock. */
  async open(): Promise<void> {
    await ensurePrivateFolder(this.#folder);
    const head = readHead(this.#headPath);
    if (head !== undefined) await this.#keyBy(head);
    this.#material ??= await newMaterial(this.#options);
  }

  async keyForReading(): Promise<Buffer> {
    const head = readHead(this.#headPath);
    if (head === undefined) throw sealedHeadDamaged(this.#headPath);
    return this.#keyBy(head);
  }

  /** Under the lock, after `open`: makes the head where there is none yet, or none any more. */
  async keyForWriting(): Promise<Buffer> {
    return this.#keyBy(readHead(this.#headPath) ?? (await this.#makeHead()));
  }

  /** Under the lock. Salt and check go with the last secret. */
  async removeIfEmpty(): Promise<void> {
    if (!(await hasSealedFiles(this.#folder))) await removeFile(this.#headPath);
  }

  async #makeHead(): Promise<StoreHead> {
    if (this.#material === undefined) throw new TypeError('not opened');
    if (await hasSealedFiles(this.#folder)) throw sealedHeadDamaged(this.#headPath);
    const head = await newHead(this.#material);
    await replacePrivateFile(this.#headPath, head.text);
    return head;
  }

  async #keyBy(head: StoreHead): Promise<Buffer> {
    if (this.#opened?.head !== head.text) {
      this.#material ??= await materialFor(head, this.#options);
      const key = await keyOf(head, this.#material);
      if (key === undefined) throw storeKeyWrong(head.way);
      this.#opened = { head: head.text, key };
    }
    return this.#opened.key;
  }
}
