import type { Ports, SecretStore } from '../../ports.js';
import type { LoginRecord, StoreKind } from '../../primitives/records.js';

/**
 * The store for a new login: the one chosen, else the one that this login, or the last one made, is in, else the
 * keychain. It writes there, and reads what is kept elsewhere where that is.
 * @param held This server's and account's login, to be replaced.
 */
export function storeForLogin(
  ports: Pick<Ports, 'store' | 'stores'>,
  chosen: StoreKind | undefined,
  logins: readonly LoginRecord[],
  held: LoginRecord | undefined,
): SecretStore {
  const last = logins.toSorted((one, other) => other.obtainedAt - one.obtainedAt)[0];
  const target = ports.stores.of(chosen ?? (held ?? last)?.store ?? 'keychain');
  return {
    kind: target.kind,
    ready: () => target.ready(),
    write: (key, value) => target.write(key, value),
    read: (key) => ports.store.read(key),
    remove: (key) => ports.store.remove(key),
  };
}
