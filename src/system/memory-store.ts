import type { CredentialIndex, SecretStore } from '../ports.js';
import type { IndexDocument } from '../primitives/records.js';
import type { Secret } from '../primitives/secret.js';

/** Secrets of this process alone, gone when it ends: `--store memory`, the demo on a machine without a keychain, tests. */
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

/** What such a store holds, told by this process to itself alone. */
function createMemoryIndex(): CredentialIndex {
  let document: IndexDocument = { version: 1, logins: [], registrations: [] };
  return {
    read: () => Promise.resolve(document),
    update: (change) => {
      document = change(document);
      return Promise.resolve(document);
    },
  };
}

/** Where a login of one command alone is kept. */
export function inMemory(): { readonly store: SecretStore; readonly index: CredentialIndex } {
  return { store: createMemoryStore(), index: createMemoryIndex() };
}
