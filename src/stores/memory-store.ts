import type { IndexDocument } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { CredentialIndex, SecretStore, ToolLists } from './ports.js';

/** Secrets of this process alone, gone when it ends: `--store memory`, the demo on a machine without a keychain, tests. */
export function createMemoryStore(): SecretStore {
  const items = new Map<string, Secret>();
  return {
    kind: 'memory',
    ready: async () => undefined,
    read: async (key) => items.get(key),
    write: async (key, value) => void items.set(key, value),
    remove: async (key) => items.delete(key),
  };
}

function createMemoryIndex(): CredentialIndex {
  let document: IndexDocument = { version: 1, logins: [], registrations: [] };
  return {
    read: async () => document,
    update: async (change) => {
      document = change(document);
      return document;
    },
  };
}

/** Of a login that leaves nothing behind. */
function noToolLists(): ToolLists {
  return { read: async () => undefined, keep: async () => undefined, forget: async () => undefined };
}

/** Where a login for one command alone is kept. */
export function inMemory(): {
  readonly store: SecretStore;
  readonly index: CredentialIndex;
  readonly toolLists: ToolLists;
} {
  return { store: createMemoryStore(), index: createMemoryIndex(), toolLists: noToolLists() };
}
