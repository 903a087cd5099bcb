import type { Limits } from '../../core/limits.js';
import type { HttpClient } from '../../http/request.js';
import type { TrustOptions } from '../../http/trust.js';
import type { EnginePorts } from '../../stores/engines/ports.js';
import { type EnvironmentLogin, environmentStore } from '../../stores/environment-token.js';
import type { SecretStore, SecretStores, StorePorts } from '../../stores/ports.js';
import { createStores, type StoresOptions } from '../../stores/stores.js';

/** What the person has set. */
interface EngineSettings {
  readonly caFile?: string | undefined;
  readonly limits: Limits;
}

export interface EngineWorld {
  readonly clock: EnginePorts['clock'];
  readonly env: EnginePorts['env'];
  readonly hold: EnginePorts['hold'];
  readonly settings: () => Promise<Pick<TrustOptions, 'clientCertificates'> & EngineSettings>;
  readonly http: HttpClient;
}

/** Opens engines; nothing of them is loaded before. */
export function engineOpener(world: EngineWorld): StorePorts['openEngine'] {
  return async (address) => {
    const { openEngine } = await import('../../stores/engines/open-engine.js');
    return await openEngine(address, enginePorts(world));
  };
}

/** Opens engines, and closes them with the HTTP client, which is closed at the end of the run. */
export function withEngines(world: EngineWorld): Pick<StorePorts, 'openEngine'> & Pick<EngineWorld, 'http'> {
  const opened: AsyncDisposable[] = [];
  const open = engineOpener(world);
  return {
    openEngine: async (address) => {
      const engine = await open(address);
      opened.push(engine);
      return engine;
    },
    http: {
      ...world.http,
      [Symbol.asyncDispose]: async () => {
        for (const engine of opened.splice(0)) await engine[Symbol.asyncDispose]();
        await world.http[Symbol.asyncDispose]();
      },
    },
  };
}

/**
 * What the engine of a shared store needs: the trusted authorities of the HTTP client, for a socket that is our own.
 */
function enginePorts(world: EngineWorld): EnginePorts {
  const { clock, env, hold, settings } = world;
  return {
    clock,
    env,
    hold,
    limits: async () => (await settings()).limits,
    secureContext: async (origin) => {
      const [{ trustBy }, { caFile, clientCertificates }] = await Promise.all([
        import('../../http/trust.js'),
        settings(),
      ]);
      const own = { ...(caFile && { caFile }), ...(clientCertificates && { clientCertificates }) };
      return await trustBy({ env, ...own })(origin);
    },
    networkFailure: async (error, party) => (await import('../../http/network-cause.js')).failureOf(error, party),
  };
}

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
