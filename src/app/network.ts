import { once } from '../core/lazy.js';
import type { Limits } from '../core/limits.js';
import type { Clock } from '../core/ports.js';
import type { StoreKind } from '../core/records.js';
import type { EnginePorts } from '../fleet/engine/engine.js';
import type { FleetPorts } from '../fleet/ports.js';
import type { HttpOptions } from '../http/origins.js';
import type { PoolLimits } from '../http/pool.js';
import type { HttpClient } from '../http/request.js';
import type { TrustOptions } from '../http/trust.js';
import type { Wire } from '../mcp/wire.js';
import type { OpenProxy } from '../proxy/ports.js';
import type { World } from './context.js';
import type { GlobalOptions } from './global-options.js';
import { logWire, requestPrinter } from './request-log.js';

/** What the person has set that requests and stores depend on. */
export interface PersonalSettings extends Pick<TrustOptions, 'clientCertificates'> {
  readonly caFile?: string | undefined;
  readonly limits: Limits;
  readonly store?: StoreKind | undefined;
  readonly storeReadOnly?: boolean | undefined;
}

interface NetworkOptions {
  readonly world: Pick<World, 'env' | 'version'>;
  readonly options: Pick<GlobalOptions, 'verbose' | 'json'>;
  readonly clock: Clock;
  readonly show: (line: string) => void;
  readonly settings: () => Promise<PersonalSettings>;
}

/** All ways out to other machines, under the same rules. Closing the HTTP client closes the engines that were opened. */
export interface Network extends FleetPorts {
  readonly http: HttpClient;
  readonly httpOptions: () => Promise<HttpOptions>;
  /** The bridge's. To be closed. */
  readonly openWire: () => Promise<Wire & AsyncDisposable>;
  readonly openProxy: OpenProxy;
  /** With `--verbose`: prints the requests of a process of ours, as it reports them. */
  readonly report: ((line: string) => void) | undefined;
}

export function createNetwork({ world, options, clock, show, settings }: NetworkOptions): Network {
  const { env, version } = world;
  const { verbose, json } = options;
  const userAgent = `postern/${version}`;
  const httpOptions = async (): Promise<HttpOptions> => {
    const [{ systemResolver: resolve }, { caFile, clientCertificates, limits }] = await Promise.all([
      import('../http/origin.js'),
      settings(),
    ]);
    return {
      env,
      userAgent,
      resolve,
      limits,
      ...(caFile && { caFile }),
      ...(clientCertificates && { clientCertificates }),
    };
  };
  const printer = requestPrinter({ show, json });
  const open: AsyncDisposable[] = [];
  const http = once(async () => {
    const { createHttpClient } = await import('../http/client.js');
    const client = createHttpClient({ ...(await httpOptions()), ...(verbose && { observe: printer.observe }) });
    open.push(client);
    return client;
  });
  const openEngine = engineOpener({ clock, env, settings });
  return {
    http: {
      send: async (request) => (await http()).send(request),
      check: async (target) => (await http()).check(target),
      [Symbol.asyncDispose]: async () => {
        for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
      },
    },
    httpOptions,
    openEngine: async (address) => {
      const engine = await openEngine(address);
      open.push(engine);
      return engine;
    },
    openWire: async () => {
      const [{ RelayWire }, { usualPoolLimits }] = await Promise.all([
        import('../bridge/relay-wire.js'),
        import('../http/pool.js'),
      ]);
      const wire = new RelayWire(userAgent, await openRelay(await httpOptions(), usualPoolLimits));
      return verbose ? logWire(wire, printer.observe) : wire;
    },
    openProxy: async (proxy) => {
      const { openProxy, proxyPool } = await import('../proxy/server.js');
      return await openProxy(await openRelay(await httpOptions(), proxyPool), proxy);
    },
    report: verbose ? printer.report : undefined,
  };
}

/** Connections for what passes through, under the rules of the HTTP client; to be closed by the caller. */
async function openRelay(options: HttpOptions, limits: PoolLimits) {
  const { openRelayOrigins } = await import('./relay-origins.js');
  return openRelayOrigins(options, limits);
}

/** Opens engines of shared stores, by the trust of the HTTP client, for sockets of their own; nothing of them is loaded before. */
export function engineOpener({
  clock,
  env,
  settings,
}: Pick<NetworkOptions, 'clock' | 'settings'> & Pick<EnginePorts, 'env'>): FleetPorts['openEngine'] {
  return async (address) => {
    const { openEngine } = await import('../fleet/engine/redis.js');
    return openEngine(address, {
      ...{ clock, env },
      limits: async () => (await settings()).limits,
      secureContext: async (origin) => {
        const [{ trustBy }, { caFile, clientCertificates }] = await Promise.all([
          import('../http/trust.js'),
          settings(),
        ]);
        const own = { ...(caFile && { caFile }), ...(clientCertificates && { clientCertificates }) };
        return await trustBy({ env, ...own })(origin);
      },
      networkFailure: async (error, party) => (await import('../http/network-failures.js')).failureOf(error, party),
    });
  };
}
