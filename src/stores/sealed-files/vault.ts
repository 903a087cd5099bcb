import { join } from 'node:path';
import type { Locks } from '../ports.js';
import { ensurePrivateFolder } from '../state/private-file.js';
import { removeFile, replacePrivateFile } from '../state/safe-file.js';
import { sealedHeadDamaged, storeKeyWrong } from './failures.js';
import { type KeySourceOptions, materialFor, newMaterial } from './key-source.js';
import { hasSealedFiles, type KeyMaterial, keyOf, newHead, readHead, type StoreHead } from './sealed-file.js';

export interface VaultOptions extends KeySourceOptions {
  readonly locks: Locks;
}

/** A write takes milliseconds, and scrypt a second on a slow machine. */
const lockWaitMs = 30_000;

/** The key of one folder, and the head that it is made by. */
export class Vault {
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
