import { Secret } from '../../core/secret.js';
import { refuseTooLarge } from '../failures.js';
import type { SecretStore } from '../ports.js';
import { type KeychainOptions, readValue, removeValue, writeValue } from './items.js';
import { NativeItems } from './native.js';
import { SecretService } from './secret-service.js';

/**
 * The platform's keychain: Secret Service, macOS Keychain, Windows Credential Manager. Never falls back to anything
 * else, never truncates, never hangs: every method throws a Failure `store_unavailable`, `store_locked`,
 * `store_timeout`, `store_failed`, `store_too_large` or `credential_corrupt`, each exit 7, within its limit.
 */
export function createKeychain(options: KeychainOptions): SecretStore {
  const { platform } = options;
  const isNative = platform === 'darwin' || platform === 'win32';
  const items = isNative ? new NativeItems(options, platform) : new SecretService(options);
  // CRED_MAX_CREDENTIAL_BLOB_SIZE is 2,560 bytes, and the package stores UTF-16.
  const maxLength = platform === 'win32' ? 1_280 : Number.POSITIVE_INFINITY;
  return {
    kind: 'keychain',
    ready: () => items.open(),
    read: async (key) => {
      const text = await readValue(items, key);
      return text === undefined ? undefined : new Secret(text);
    },
    write: async (key, value) => {
      const text = value.reveal();
      refuseTooLarge(text);
      if (/[\ud800-\udfff]/u.test(text)) throw new TypeError('half a surrogate pair cannot be stored');
      await writeValue(items, key, text, maxLength);
    },
    remove: (key) => removeValue(items, key, maxLength),
  };
}
