import type { SecretStore } from '../ports.js';
import type { Secret } from '../primitives/secret.js';

/** Secrets of this process alone, gone when it ends: for the demo on a machine without a keychain, and for tests. */
export function createMemoryStore(): SecretStore {
  const items = new Map<string, Secret>();
  return {
    kind: 'memory',
    ready: () => Promise.resolve(),
    read: (key) => Promise.resolve(items.get(key)),
    write: (key, value) => {
      items.set(key, value);
      return Promise.resolve();
    },
    remove: (key) => Promise.resolve(items.delete(key)),
  };
}
