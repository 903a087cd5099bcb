import type { Configuration } from '../core/configuration/configuration.js';
import { once } from '../core/lazy.js';
import type { EnginePorts } from '../fleet/engine/redis-connection.js';
import type { HttpOptions } from '../http/origins.js';
import type { PoolLimits } from '../http/pool.js';
import type { Context, Run } from './context.js';
import { logWire, requestPrinter } from './request-log.js';

type Settings = () => Promise<
  Pick<Configuration, 'limits'> & Partial<Pick<HttpOptions, 'caFile' | 'clientCertificates'>>
>;

export type Network = ReturnType<typeof createNetwork>;

/** All ways out to other machines, under the same rules. Closing the HTTP client closes the engines that were opened. */
export function createNetwork(
  { world, options, show }: Pick<Run, 'world' | 'options' | 'show'>,
  { clock, settings }: { readonly clock: Context['clock']; readonly settings: Settings },
) {
  const { env, version } = world;
  const { verbose, json } = options;
  const userAgent = `postern/${version}`;
  const httpOptions = async (): Promise<HttpOptions> => {
    return { env, userAgent, ...(await trustIn(settings)) };
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
      return verbose ? logWire(wire, { userAgent, observe: printer.observe }) : wire;
    },
    openProxy: async (proxy) => {
      const { openProxy, proxyPool } = await import('../proxy/server.js');
      return await openProxy(await openRelay(await httpOptions(), proxyPool), proxy);
    },
    /** With `--verbose`: prints the requests of a process of ours, as it reports them. */
    report: verbose ? printer.report : undefined,
  } satisfies Partial<Context> & Readonly<Record<string, unknown>>;
}

/** Connections for what passes through, under the rules of the HTTP client; to be closed by the caller. */
async function openRelay(options: HttpOptions, limits: PoolLimits) {
  const { openRelayOrigins } = await import('./relay-origins.js');
  return openRelayOrigins(options, limits);
}

async function trustIn(settings: Settings) {
  const { limits, caFile, clientCertificates } = await settings();
  return { limits, ...(caFile && { caFile }), ...(clientCertificates && { clientCertificates }) };
}

/** Opens engines of shared stores with the HTTP client's trust, on sockets of their own; loads them only then. */
export function engineOpener({
  settings,
  ...ports
}: Pick<EnginePorts, 'clock' | 'env'> & { readonly settings: Settings }): Context['openEngine'] {
  return async (address) => {
    const { openEngine } = await import('../fleet/engine/redis.js');
    return openEngine(address, {
      ...ports,
      limits: async () => (await settings()).limits,
      secureContext: async (origin) => {
        const [{ trustBy }, { limits: _, ...trust }] = await Promise.all([
          import('../http/trust.js'),
          trustIn(settings),
        ]);
        return await trustBy({ env: ports.env, ...trust })(origin);
      },
      networkFailure: async (error, party) => (await import('../http/network-failures.js')).failureOf(error, party),
    });
  };
}
