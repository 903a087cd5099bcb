import { lazy } from '../core/lazy.js';
import type { Limits } from '../core/limits.js';
import type { Clock, Terminal } from '../core/ports.js';
import { type IndexDocument, isSharedKind, type SharedKind, type StoreKind } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { CredentialIndex, SecretStore, SecretStores } from './ports.js';
import type { Locks } from './state/locks.js';
import type { ToolLists } from './state/tool-lists.js';

export interface StoresOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly terminal: Terminal;
  readonly stateFolder: () => string;
  readonly signal: AbortSignal;
  readonly limits: () => Promise<Limits>;
  /** The store that several machines share. */
  readonly openShared: (kind: SharedKind) => Promise<SecretStore>;
}

/** Every kind of store, made and loaded at its first use, and once. */
export function createStores(options: StoresOptions): SecretStores {
  const made = new Map<StoreKind, SecretStore>();
  return {
    of: (kind) => {
      // Only its kind is known before its first use.
      const store = made.get(kind) ?? Object.assign(Object.create(lazy(() => open(kind, options))), { kind });
      made.set(kind, store);
      return store;
    },
  };
}

async function open(kind: StoreKind, options: StoresOptions): Promise<SecretStore> {
  switch (kind) {
    case 'keychain':
      return openKeychain(options);
    case 'file': {
      const { FileStore } = await import('./sealed-files/file-store.js');
      return new FileStore({ ...options, stateFolder: options.stateFolder() });
    }
    case 'memory':
      return createMemoryStore();
    case 'environment':
      throw new Error('a token of the environment was not read');
    default: {
      if (isSharedKind(kind)) return await options.openShared(kind);
      const { HelperStore } = await import('./helper-store.js');
      return new HelperStore({ ...options, kind, limitMs: (await options.limits()).storeSeconds * 1000 });
    }
  }
}

async function openKeychain({ platform, env, clock, terminal, limits }: StoresOptions): Promise<SecretStore> {
  const { createKeychain } = await import('./keychain/keychain.js');
  const { interactive, tell: notify } = terminal;
  return createKeychain({ platform, env, clock, interactive, notify, limits: await limits() });
}

/**
 * The store in which each secret is: what the index says of its key, and the keychain where it says nothing. Never
 * looks in another one.
 */
export function createStoreRouter(options: {
  readonly index: CredentialIndex;
  readonly stores: SecretStores;
}): SecretStore {
  const { index, stores } = options;
  const storeOf = async (key: string): Promise<SecretStore> => {
    const { logins, registrations, clientKeys = [], providers = [] } = await index.read();
    const records = [...logins, ...registrations, ...clientKeys, ...providers];
    return stores.of(records.find((record) => record.key === key)?.store ?? 'keychain');
  };
  return {
    kind: 'keychain',
    ready: () => stores.of('keychain').ready(),
    read: async (key) => {
      const store = await storeOf(key);
      const found = await store.read(key);
      if (found !== undefined) return found;
      const now = await storeOf(key); // it may have been moved meanwhile
      return now.kind === store.kind ? undefined : now.read(key);
    },
    write: async (key, value) => (await storeOf(key)).write(key, value),
    remove: async (key) => (await storeOf(key)).remove(key),
    refreshTurn: async (key, wait) => await (await storeOf(key)).refreshTurn?.(key, wait),
  };
}

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
