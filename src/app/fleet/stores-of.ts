import type { Limits } from '../../core/limits.js';
import { type EnvironmentLogin, environmentStore } from '../../stores/environment-token.js';
import type { SecretStore, SecretStores } from '../../stores/ports.js';
import { createStores, type StoresOptions } from '../../stores/stores.js';

/** What of the command line, the environment and the settings says which stores there are. */
interface StoresGiven extends Pick<StoresOptions, 'platform' | 'env' | 'signal' | 'keychain'> {
  readonly own: { readonly store?: SecretStore };
  readonly environment: (() => EnvironmentLogin) | undefined;
  readonly settings: () => Promise<{ readonly limits: Limits; readonly storeReadOnly?: boolean | undefined }>;
}

/** Whoever brings a store has no other. */
export function storesOf(
  { platform, env, own, signal, keychain, environment, settings }: StoresGiven,
  made: Pick<StoresOptions, 'clock' | 'terminal' | 'locks' | 'openEngine'> & { readonly folder: () => string },
): SecretStores {
  const { store } = own;
  if (store !== undefined) return { of: () => store };
  const stores = createStores({
    ...made,
    platform,
    env,
    signal,
    keychain,
    stateFolder: made.folder,
    limits: async () => (await settings()).limits,
    isReadOnly: async () => (await settings()).storeReadOnly === true,
  });
  if (environment === undefined) return stores;
  const given = environmentStore(environment);
  return { of: (kind) => (kind === given.kind ? given : stores.of(kind)) };
}
