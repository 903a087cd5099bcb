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

interface Options extends KeySourceOptions {
  readonly locks: Locks;
}

/** A write takes milliseconds, and scrypt a second on a slow machine. */
const lockWaitMs = 30_000;

/**
 * Secrets in sealed files, one each, in the folder `sealed` of the state folder. Each is bound to its name; files
 * that others could have written, and links, are refused; what cannot be opened is left as it is. Writers have a lock
 * between processes; readers need none, since files are replaced as a whole.
 */
export class FileStore implements SecretStore {
  readonly kind = 'file';
  readonly #folder: string;
  readonly #headPath: string;
  readonly #options: Options;
  #material: KeyMaterial | undefined;
  #opened: { readonly head: string; readonly key: Buffer } | undefined;

  constructor(options: Options) {
    this.#folder = join(options.stateFolder, 'sealed');
    this.#headPath = join(this.#folder, 'head');
    this.#options = options;
  }

  async ready(): Promise<void> {
    await this.#writing(async () => undefined);
  }

  async read(key: string): Promise<Secret | undefined> {
    const path = this.#pathOf(key);
    const file = readText(path, 'sealed');
    if (file === undefined) return undefined;
    const head = readHead(this.#headPath);
    if (head === undefined) throw sealedHeadDamaged(this.#headPath);
    const sealed = /^postern-sealed 1 ([A-Za-z0-9_-]+)\n$/.exec(file)?.[1];
    const text = sealed && unsealText(await this.#keyBy(head), `${mark}${key}`, sealed);
    if (text === undefined) throw sealedFileDamaged(path);
    return new Secret(text);
  }

  async write(key: string, value: Secret): Promise<void> {
    const path = this.#pathOf(key);
    const text = value.reveal();
    refuseTooLarge(text);
    await this.#writing(async (sealingKey) => {
      readText(path, 'sealed'); // throws: neither a link nor what a later release wrote is replaced
      await replacePrivateFile(path, `${mark}${sealText(sealingKey, `${mark}${key}`, text)}\n`);
    });
  }

  async remove(key: string): Promise<boolean> {
    const path = this.#pathOf(key);
    await using _lock = await this.#lock();
    const isRemoved = await removeFile(path);
    await removeFile(join(this.#folder, `.${key}.sealed.new`)); // of a writer that was killed
    if (!(await hasSealedFiles(this.#folder))) await removeFile(this.#headPath); // salt and check go with the last secret
    return isRemoved;
  }

  /** Names never become paths: a key is a hash. */
  #pathOf(key: string): string {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new TypeError('this is no key of a store');
    return join(this.#folder, `${key}.sealed`);
  }

  #lock(): Promise<AsyncDisposable> {
    const { signal, locks } = this.#options;
    return locks.acquire('sealed-files', { waitMs: lockWaitMs, signal });
  }

  /** Asks the person for what the key is made from at most once, and not under the lock that `work` is done under. */
  async #writing(work: (key: Buffer) => Promise<void>): Promise<void> {
    await ensurePrivateFolder(this.#folder);
    const before = readHead(this.#headPath);
    if (before !== undefined) await this.#keyBy(before);
    this.#material ??= await newMaterial(this.#options);
    await using _lock = await this.#lock();
    const head = readHead(this.#headPath) ?? (await this.#newHead(this.#material));
    await work(await this.#keyBy(head));
  }

  /** There is no head yet, or none any more. */
  async #newHead(material: KeyMaterial): Promise<StoreHead> {
    if (await hasSealedFiles(this.#folder)) throw sealedHeadDamaged(this.#headPath);
    const head = await newHead(material);
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
