import { Secret } from '../../core/secret.js';
import { refuseTooLarge } from '../failures.js';
import type { SecretStore } from '../ports.js';
import { storeDamaged } from './failures.js';
import { readValue, removeValue, writeValue } from './item-parts.js';
import type { KeychainOptions } from './items.js';
import { NativeItems } from './native-items.js';
import { SecretService } from './secret-service.js';

/**
 * The platform's keychain: Secret Service, macOS Keychain, Windows Credential Manager. Never falls back to anything
 * else, never truncates, never hangs: every method throws a Failure `store_unavailable`, `store_locked`,
 * `store_timeout`, `store_failed`, `store_too_large` or `credential_corrupt`, each exit 7, within its limit.
 */
export function createKeychain(options: KeychainOptions): SecretStore {
  const { platform, limits } = options;
  const isNative = platform === 'darwin' || platform === 'win32';
  const items = isNative ? new NativeItems(options, platform) : new SecretService(options);
  const { maxItemLength } = limits;
  return {
    kind: 'keychain',
    ready: () => items.open(),
    read: async (key) => {
      const value = await readValue(items, key);
      if (value?.damaged) throw storeDamaged('a part of it is missing or changed');
      return value === undefined ? undefined : new Secret(value.text);
    },
    write: async (key, value) => {
      const text = value.reveal();
      refuseTooLarge(text);
      if (/[\ud800-\udfff]/u.test(text)) throw new TypeError('half a surrogate pair cannot be stored');
      await writeValue(items, key, text, maxItemLength);
    },
    remove: (key) => removeValue(items, key, maxItemLength),
  };
}
