import type { LoginRecord, StoreKind } from '../core/records.js';
import type { SecretStore, StorePorts } from '../stores/ports.js';
import { nameTaken, nameUnusable, tooManyLogins } from './failures.js';

/** What `--name` takes: it stands in command lines, so nothing that a shell or a path could read as something else. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/**
 * Checks `--name` before anything is sent.
 * @throws Failure `name_unusable`, `name_taken`
 */
export function checkName(
  wanted: { readonly name: string | undefined; readonly server: string; readonly account: string },
  logins: readonly LoginRecord[],
): void {
  const { name, server, account } = wanted;
  if (name === undefined) return;
  if (!namePattern.test(name)) throw nameUnusable(name);
  const other = logins.find((login) => login.name === name && (login.server !== server || login.account !== account));
  if (other !== undefined) throw nameTaken(name, other.server, other.account);
}

/**
 * The store for a new login: the one chosen, else the one that this login, or the last one made, is in, else the
 * keychain. It writes there, and reads what is kept elsewhere where that is.
 * @param held This server's and account's login, to be replaced.
 */
export function storeForLogin(
  ports: Pick<StorePorts, 'store' | 'stores'>,
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

/** Half of what the index may hold, so that what is noted of these has room, too; reading it takes 30 ms. */
export const maxLogins = 1000;

/**
 * The login of this server and account, which a new one replaces. Where there is none, one more must have its place,
 * which is checked before anything is sent.
 * @throws Failure `too_many_logins`
 */
export function loginToReplace(
  logins: readonly LoginRecord[],
  wanted: { readonly server: string; readonly account: string },
): LoginRecord | undefined {
  const held = logins.find(({ server, account }) => server === wanted.server && account === wanted.account);
  if (held === undefined && logins.length >= maxLogins) throw tooManyLogins(maxLogins);
  return held;
}
