import { join } from 'node:path';
import type { Locks } from '../ports.js';
import { ensurePrivateFolder } from '../state/private-file.js';
import { replacePrivateFile } from '../state/safe-file.js';
import { sealedFileNewer, sealedHeadDamaged, storeKeyWrong } from './failures.js';
import {
  headText,
  type KeyMaterial,
  type KeySourceOptions,
  keyOf,
  materialFor,
  newHead,
  newMaterial,
  parseHead,
  type StoreHead,
} from './key-source.js';
import { readText, sealedNames, unlinked } from './sealed-file.js';

export interface VaultOptions extends KeySourceOptions {
  readonly locks: Locks;
}

/** A write takes milliseconds, and scrypt a second on a slow machine. */
const lockWaitMs = 30_000;

/** The key of one folder, and the head that it is made by. */
export class Vault {
  readonly #folder: string;
  readonly #options: VaultOptions;
  #material: KeyMaterial | undefined;
  #opened: { readonly head: string; readonly key: Buffer } | undefined;

  constructor(folder: string, options: VaultOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  get #headPath(): string {
    return join(this.#folder, 'head');
  }

  lock(): Promise<AsyncDisposable> {
    const { signal, locks } = this.#options;
    return locks.acquire('sealed-files', { waitMs: lockWaitMs, signal });
  }

  /** Gets hold of what the key is made from; asks the person at most once, and not under the lock. */
  async open(): Promise<void> {
    await ensurePrivateFolder(this.#folder);
    if (this.#material === undefined) {
      const head = this.#readHead();
      this.#material = await (head === undefined ? newMaterial(this.#options) : materialFor(head, this.#options));
    }
  }

  async keyForReading(): Promise<Buffer> {
    const head = this.#readHead();
    if (head === undefined) throw sealedHeadDamaged(this.#headPath);
    this.#material ??= await materialFor(head, this.#options);
    return this.#keyBy(head);
  }

  /** Under the lock, after `open`: makes the head where there is none yet, or none any more. */
  async keyForWriting(): Promise<Buffer> {
    const material = this.#material;
    if (material === undefined) throw new TypeError('not opened');
    let head = this.#readHead();
    if (head === undefined) {
      if ((await sealedNames(this.#folder)).length > 0) throw sealedHeadDamaged(this.#headPath);
      head = await newHead(material.way, material.bytes);
      await replacePrivateFile(this.#headPath, headText(head));
    }
    return this.#keyBy(head);
  }

  /** Under the lock. Salt and check go with the last secret. */
  async removeIfEmpty(): Promise<void> {
    if ((await sealedNames(this.#folder)).length === 0) await unlinked(this.#headPath);
  }

  async #keyBy(head: StoreHead): Promise<Buffer> {
    const text = headText(head);
    if (this.#opened?.head !== text) {
      const sameWay = this.#material?.way === head.way ? this.#material : undefined;
      const key = sameWay === undefined ? undefined : await keyOf(head, sameWay.bytes);
      if (key === undefined) throw storeKeyWrong(head.way);
      this.#opened = { head: text, key };
    }
    return this.#opened.key;
  }

  #readHead(): StoreHead | undefined {
    const path = this.#headPath;
    const text = readText(path);
    if (text === undefined) return undefined;
    const parsed = parseHead(text);
    if (parsed.ok) return parsed.head;
    throw parsed.problem === 'newer' ? sealedFileNewer(path) : sealedHeadDamaged(path);
  }
}
