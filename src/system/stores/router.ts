import type { CredentialIndex, SecretStore, SecretStores } from '../../ports.js';

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
    const { logins, registrations, clientKeys = [] } = await index.read();
    const records = [...logins, ...registrations, ...clientKeys];
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
  };
}
