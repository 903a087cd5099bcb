import { login } from '../../../src/login/log-in.js';
import { storeUnavailable } from '../../../src/stores/keychain/failures.js';
import { createStoreRouter } from '../../../src/stores/stores.js';
import {
  createMemoryStore,
  type LoginPorts,
  type LoginRecord,
  type SecretStore,
  type SecretStores,
  type StoreKind,
  type StorePorts,
} from '../product.js';
import { openOwnScene } from './own-scene.js';
import { openScene, type WantedLogin } from './scene.js';

/** A store of each kind, in memory, each of which can stop working. */
interface SeveralStores extends SecretStores {
  /** Kinds that do not work now. */
  readonly down: Set<StoreKind>;
  /** What is in a store, whether it works or not. */
  bare(kind: StoreKind): SecretStore;
}

/** Gives these ports several stores, and the router that reads each secret where the index says that it is. */
function withSeveralStores<Some extends Pick<StorePorts, 'index'>>(
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

/** A scene with a keychain and sealed files (both in memory), and a server whose clients get secrets. */
export async function openShelf() {
  const scene = await openScene();
  const own = await openOwnScene();
  const { ports, stores } = withSeveralStores(scene.ports);
  const logIn = (change: Partial<WantedLogin> = {}, as: LoginPorts = ports): Promise<LoginRecord> =>
    login(as, scene.request(change));
  return {
    scene,
    own,
    ports,
    stores,
    logIn,
    /** The same machine, in a process that ends at its `at`th change of the index. */
    dyingAt: (at: number): LoginPorts => {
      let changes = 0;
      const update: LoginPorts['index']['update'] = (change) => {
        changes += 1;
        return changes >= at ? Promise.reject(new Error('killed')) : ports.index.update(change);
      };
      return { ...ports, index: { ...ports.index, update } };
    },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}
