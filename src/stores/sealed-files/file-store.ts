import { join } from 'node:path';
import { Secret } from '../../core/secret.js';
import { refuseTooLarge } from '../item-size.js';
import type { SecretStore } from '../ports.js';
import { removeFile, replacePrivateFile } from '../state/safe-file.js';
import { sealedFileDamaged } from './failures.js';
import { readText, sealText, unsealText } from './sealed-file.js';
import { Vault, type VaultOptions } from './vault.js';

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
