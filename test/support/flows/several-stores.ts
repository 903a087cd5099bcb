import { storeUnavailable } from '../../../src/stores/keychain/failures.js';
import { createStoreRouter } from '../../../src/stores/stores.js';
import { createMemoryStore, type SecretStore, type SecretStores, type StoreKind, type StorePorts } from '../product.js';

/** A store of each kind, in memory, each of which can stop working. */
export interface SeveralStores extends SecretStores {
  /** Kinds that do not work now. */
  readonly down: Set<StoreKind>;
  /** What is in a store, whether it works or not. */
  bare(kind: StoreKind): SecretStore;
}

/** Gives these ports several stores, and the router that reads each secret where the index says that it is. */
export function withSeveralStores<Some extends Pick<StorePorts, 'index'>>(
  ports: Some,
): { readonly ports: Some & Pick<StorePorts, 'store' | 'stores'>; readonly stores: SeveralStores } {
  const made = new Map<StoreKind, SecretStore>();
  const down = new Set<StoreKind>();
  const bare = (kind: StoreKind): SecretStore => {
    const store = made.get(kind) ?? createMemoryStore();
    made.set(kind, store);
    return store;
  };
  const working = (kind: StoreKind): SecretStore => {
    if (down.has(kind)) throw storeUnavailable('no_bus', 'none');
    return bare(kind);
  };
  const of = (kind: StoreKind): SecretStore => ({
    kind,
    ready: async () => void working(kind),
    read: async (key) => working(kind).read(key),
    write: async (key, value) => working(kind).write(key, value),
    remove: async (key) => working(kind).remove(key),
  });
  const stores = { of, bare, down };
  return { ports: { ...ports, stores, store: createStoreRouter({ index: ports.index, stores }) }, stores };
}
