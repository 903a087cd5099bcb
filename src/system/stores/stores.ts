import type { Clock, Locks, SecretStore, SecretStores, Terminal } from '../../ports.js';
import type { Limits } from '../../primitives/limits.js';
import type { StoreKind } from '../../primitives/records.js';
import { lateStore } from '../late-ports.js';
import { createMemoryStore } from '../memory-store.js';

export interface StoresOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly terminal: Terminal;
  readonly stateFolder: () => string;
  readonly signal: AbortSignal;
  readonly limits: () => Promise<Limits>;
}

/** Every kind of store, made and loaded at its first use, and once. */
export function createStores(options: StoresOptions): SecretStores {
  const made = new Map<StoreKind, SecretStore>();
  return {
    of: (kind) => {
      const store = made.get(kind) ?? makeStore(kind, options);
      made.set(kind, store);
      return store;
    },
  };
}

function makeStore(kind: StoreKind, options: StoresOptions): SecretStore {
  switch (kind) {
    case 'keychain':
      return lateStore(kind, () => openKeychain(options));
    case 'file':
      return lateStore(kind, async () => {
        const { createFileStore } = await import('./file-store.js');
        return createFileStore({ ...options, stateFolder: options.stateFolder() });
      });
    case 'memory':
      return createMemoryStore();
    default:
      return lateStore(kind, async () => {
        const { createHelperStore } = await import('./helper-store.js');
        const limitMs = (await options.limits()).storeSeconds * 1000;
        return createHelperStore({ kind, env: options.env, signal: options.signal, limitMs });
      });
  }
}

async function openKeychain({
  platform,
  env,
  clock,
  terminal,
  limits: allowed,
}: StoresOptions): Promise<SecretStore> {
  const [{ createKeychain }, { keychainLimits }] = await Promise.all([
    import('../keychain/keychain.js'),
    import('../keychain/limits.js'),
  ]);
  const { interactive } = terminal;
  const limits = keychainLimits(platform, await allowed());
  return createKeychain({ platform, env, clock, interactive, notify: terminal.tell, limits });
}
