import { once } from '../core/lazy.js';
import type { SharedKind } from '../core/records.js';
import {
  environmentLogin,
  environmentStore,
  mentionsToken,
  withEnvironmentLogin,
} from '../stores/environment-token.js';
import { withSharedLogins } from '../stores/index/with-shared-logins.js';
import type { CredentialIndex, SecretStores, StorePorts } from '../stores/ports.js';
import { createStoreRouter, createStores } from '../stores/stores.js';
import type { Context, OwnPorts, Run } from './context.js';

interface StoreParts extends Pick<Context, 'clock' | 'terminal' | 'locks' | 'openEngine'> {
  readonly folder: () => string;
  readonly own: OwnPorts;
  readonly settings: Context['configuration'];
  readonly localIndex: Omit<CredentialIndex, 'adopt'>;
}

/** Where the secrets are, and which logins there are. */
export function storePorts({ world, table }: Run, parts: StoreParts): Pick<StorePorts, 'stores' | 'store' | 'index'> {
  const { own, settings, localIndex, folder: stateFolder } = parts;
  const { platform, env, interruption, tokenGiven } = world;
  const { signal } = interruption;
  const fleet = once(async () => {
    const { sharedStores } = await import('../fleet/shared/open-shared.js');
    return sharedStores({ ...parts, env, signal });
  });
  const openShared = async (kind: SharedKind) => await (await fleet())(kind);
  const limits = async () => (await settings()).limits;
  const usual = createStores({ ...parts, platform, env, stateFolder, signal, limits, openShared });
  // Read once, and when logins are looked for: what is wrong with it is then the command's failure.
  let login: ReturnType<typeof environmentLogin> | undefined;
  const environment = () => {
    login ??= environmentLogin(tokenGiven, Date.now());
    return login;
  };
  const hasToken = table.environmentToken === true && mentionsToken(tokenGiven);
  const given = hasToken ? environmentStore(environment) : undefined;
  const { store, index: ownIndex } = own;
  const stores: SecretStores = { of: (kind) => store ?? (kind === given?.kind ? given : usual.of(kind)) };
  const configured = async () => (await settings()).store;
  const adopting = ownIndex ?? withSharedLogins(localIndex, { shared: openShared, configured });
  const index = hasToken && ownIndex === undefined ? withEnvironmentLogin(adopting, environment) : adopting;
  return { stores, index, store: store ?? createStoreRouter({ index, stores }) };
}
