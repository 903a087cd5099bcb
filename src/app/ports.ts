import { join } from 'node:path';
import { lazy, once } from '../core/lazy.js';
import type { Limits } from '../core/limits.js';
import type { CorePorts, Journal } from '../core/ports.js';
import type { StoreKind } from '../core/records.js';
import type { LogInForRun } from '../doctor/ports.js';
import type { HttpOptions, Origins } from '../http/origins.js';
import type { PoolLimits } from '../http/pool.js';
import type { HttpClient } from '../http/request.js';
import type { TrustOptions } from '../http/trust.js';
import type { BrowserPorts, LoginPorts } from '../login/ports.js';
import type { Wire } from '../mcp/wire.js';
import type { OpenProxy } from '../proxy/ports.js';
import type { Connection } from '../relay/connection.js';
import type { CheckProgramsWorld } from '../setup/check-programs.js';
import { createAssertions } from '../stores/assertions/read-assertion.js';
import { createClock } from '../stores/clock.js';
import { type EnvironmentLogin, withEnvironmentLogin } from '../stores/environment-token.js';
import type { KnownIndex } from '../stores/index/credential-index.js';
import type { OpenKeychain } from '../stores/keychain/read-item.js';
import { statePaths } from '../stores/paths.js';
import type { CredentialIndex, StorePorts } from '../stores/ports.js';
import { withSharedLogins } from '../stores/shared/with-shared-logins.js';
import { createStoreRouter } from '../stores/stores.js';
import type { HeaderArguments } from '../tokens/server-headers/read-headers.js';
import { storesOf, withEngines } from './fleet/store-ports.js';
import { lazyHttp } from './lazy-ports.js';
import type { Spinner } from './terminal/spinner.js';
import { createTerminal, type TerminalOptions } from './terminal/terminal.js';
import {
  type Hold,
  watchHttp,
  watchListeners,
  watchRecovery,
  watchStores,
  watchTerminal,
  watchWire,
} from './watch-secrets.js';

/** Which ports somebody brings himself: the demo a browser and a store, `--store memory` a store and an index, a test a clock. */
export type OwnPorts = Partial<
  Pick<BrowserPorts, 'browser'> &
    Pick<StorePorts, 'store' | 'index' | 'toolLists'> &
    Pick<CorePorts, 'clock' | 'terminal'>
>;

export interface PortsOptions extends Omit<TerminalOptions, 'spinner'> {
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** What the person has set; asked for when something is used that it holds for. */
  readonly settings: () => Promise<PersonalSettings>;
  readonly journal: Journal;
  readonly spinner: Spinner;
  /** Ends a wait for a passphrase. */
  readonly signal: AbortSignal;
  /** Sees every secret, so that the last net before stderr knows it. */
  readonly hold: Hold;
  /** Node.js and the launcher of this program, as absolute paths. */
  readonly program: readonly string[];
  /** Where it is open already. */
  readonly keychain: OpenKeychain | undefined;
  /** As it was read just now, if it was. */
  readonly known: KnownIndex | undefined;
  /** The name of the command that runs. */
  readonly command: string;
  readonly own: OwnPorts;
  /** With `--verbose`: prints each request that leaves; bridge and proxy a line, the rest a block. */
  readonly requests: RequestPrinter | undefined;
  /** Read when logins are looked for. Undefined: the environment gives no token, or this command takes none. */
  readonly environment: (() => EnvironmentLogin) | undefined;
  /** What the command line says of headers that the server wants. */
  readonly headers: object;
}

/** How requests are printed; its code is loaded where something is to be printed. */
export interface RequestPrinter {
  readonly show: (line: string) => void;
  readonly json: boolean;
}

/** Whom to trust, what to show to whom, and how long and how much is allowed. */
export interface PersonalSettings extends Pick<TrustOptions, 'clientCertificates'> {
  readonly caFile?: string | undefined;
  readonly limits: Limits;
  readonly store?: StoreKind | undefined;
  readonly storeReadOnly?: boolean | undefined;
}

/** The real world as flows see it; what has to be closed is the HTTP client. */
export function createPorts(options: PortsOptions): LoginPorts {
  const { platform, env, hold, own, journal, spinner } = options;
  const clock = own.clock ?? createClock();
  const terminal = watchTerminal(own.terminal ?? createTerminal(options), hold);
  const state = stateOf(options, clock);
  const opened = watchHttp(
    lazyHttp(() => openHttp(options)),
    hold,
  );
  const { http, openEngine } = withEngines({ ...options, clock, http: opened });
  const stores = watchStores(storesOf(options, { clock, terminal, openEngine, ...state }), hold);
  const { environment } = options;
  const configured = async () => (await options.settings()).store;
  const shared = own.index ?? withSharedLogins(state.index, { stores, configured });
  const index =
    environment === undefined || own.index !== undefined ? shared : withEnvironmentLogin(shared, environment);
  const listeners = lazy({ listen: true }, async () => {
    const [{ createCallbackListeners }, { callbackLimits }, { runsInContainer }] = await Promise.all([
      import('../login/browser/callback-listener.js'),
      import('../login/browser/callback-limits.js'),
      import('../login/browser/container.js'),
    ]);
    return createCallbackListeners(callbackLimits, runsInContainer);
  });
  const browser = lazy({ open: true }, async () => {
    const { createBrowser } = await import('../login/browser/open-browser.js');
    return createBrowser({ platform, env });
  });
  return {
    ...state,
    index,
    clock,
    limits: async () => (await options.settings()).limits,
    givenHeaders: once(() => givenHeaders(options)),
    journal,
    detachedRefresh: async (login, limits) => {
      const { createDetachedRefresh } = await import('../tokens/detached-refresh.js');
      await createDetachedRefresh(options.program, env, await reporter(options.requests))(login, limits);
    },
    progress: spinner,
    stores,
    store: own.store === undefined ? createStoreRouter({ index, stores }) : stores.of(own.store.kind),
    http,
    openEngine,
    listeners: watchListeners(listeners, hold),
    browser: own.browser ?? browser,
    terminal,
  };
}

/** The headers of the command line; their variable is taken out of the environment that programs inherit. */
async function givenHeaders({ env, stdin, hold, tell, command, headers: given }: PortsOptions) {
  const headers = given as HeaderArguments;
  if (headers.headerFile === undefined && headers.headerEnv === undefined) return undefined;
  const [{ readGivenHeaders }, { createFiles }] = await Promise.all([
    import('../tokens/server-headers/read-headers.js'),
    import('./files.js'),
  ]);
  const takeVariable = (name: string) => {
    const value = env[name];
    delete (env as Record<string, string | undefined>)[name];
    return value;
  };
  return readGivenHeaders({ files: createFiles(stdin), takeVariable, hold, tell, command }, headers);
}

/** With `--verbose`: shows the requests of a process of ours. */
async function reporter(requests: RequestPrinter | undefined): Promise<((line: string) => void) | undefined> {
  if (requests === undefined) return undefined;
  const { reportedLines } = await import('./requests/request-log.js');
  return (line) => reportedLines(line, requests.json).forEach(requests.show);
}

/** What lies in the state folder, beside the secrets. */
function stateOf({ platform, homedir, env, hold, own, known }: PortsOptions, clock: CorePorts['clock']) {
  const folder = () => statePaths(env, platform, homedir).state;
  const locks = lazy({ acquire: true }, async () => {
    const { createLocks } = await import('../stores/state/locks.js');
    return createLocks({ directory: join(folder(), 'locks'), clock });
  });
  const index = lazy<Omit<CredentialIndex, 'adopt'>>({ read: true, update: true }, async () => {
    const { createCredentialIndex } = await import('../stores/index/credential-index.js');
    return createCredentialIndex({ directory: folder(), locks, known });
  });
  const attempts = lazy({ take: true, allows: true, forget: true }, async () => {
    const { createAttempts } = await import('../stores/state/attempts.js');
    return createAttempts({ directory: folder(), locks, clock });
  });
  const failures = lazy({ read: true, keep: true, forget: true }, async () => {
    const { createFormatFailures } = await import('../stores/state/failure-log.js');
    return createFormatFailures({ directory: folder(), locks });
  });
  const handedOut = lazy({ lately: true, note: true }, async () => {
    const { createHandedOut } = await import('../stores/state/handed-out.js');
    return createHandedOut(folder());
  });
  const toolLists = lazy({ read: true, keep: true, forget: true }, async () => {
    const { createToolLists } = await import('../stores/state/tool-lists.js');
    return createToolLists(folder());
  });
  const recovery = lazy({ begin: true, isWaiting: true, find: true, begunElsewhere: true, forget: true }, async () => {
    const { createRecovery } = await import('../stores/state/recovery.js');
    return createRecovery({ directory: join(folder(), 'recovery') });
  });
  return {
    folder,
    locks,
    assertions: createAssertions({ env, hold }),
    index: own.index ?? index,
    recovery: watchRecovery(recovery, hold),
    attempts,
    failures,
    handedOut,
    toolLists: own.toolLists ?? toolLists,
  };
}

/** The bridge's way out, to be closed by whoever opens it. */
export async function openWire(options: PortsOptions): Promise<Wire & AsyncDisposable> {
  const [{ RelayWire }, { usualPoolLimits }] = await Promise.all([
    import('../bridge/relay-wire.js'),
    import('../http/pool.js'),
  ]);
  const wire = new RelayWire(options.userAgent, await openRelay(options, usualPoolLimits));
  const watched = watchWire(wire, options.hold);
  if (options.requests === undefined) return watched;
  const { logWire } = await import('./requests/request-log.js');
  return logWire(watched, options.requests);
}

/** Connections for what passes through, under the rules of the HTTP client; to be closed by whoever opens them. */
async function openRelay(options: PortsOptions, limits: PoolLimits): Promise<Origins<Connection>> {
  const [{ openRelayOrigins }, httpOptions] = await Promise.all([
    import('./relay-origins.js'),
    httpOptionsFrom(options),
  ]);
  return openRelayOrigins(httpOptions, limits);
}

/** Opens local proxies, whose keys are secrets like others. */
export function proxyOpener(options: PortsOptions): OpenProxy {
  return async (proxy) => {
    const { openProxy, proxyPool } = await import('../proxy/server.js');
    const running = await openProxy(await openRelay(options, proxyPool), proxy);
    if (running.key !== undefined) options.hold(running.key.reveal());
    return running;
  };
}

/** What `doctor` asks of other rooms. */
export function doctorPorts(
  context: () => CheckProgramsWorld &
    Parameters<typeof import('../login/status/login-status.js').brokenLogins>[0] &
    Parameters<typeof import('../login/login-for-run.js').logInForRun>[0],
  options: PortsOptions,
) {
  return {
    logInForRun: (async (wanted) =>
      (await import('../login/login-for-run.js')).logInForRun(context(), wanted)) satisfies LogInForRun,
    checkPrograms: async (program: string | undefined) =>
      (await import('../setup/check-programs.js')).checkPrograms(context(), program),
    brokenLogins: async () => (await import('../login/status/login-status.js')).brokenLogins(context()),
    canListen: async () => await (await import('./terminal/can-listen.js')).canListen(),
    examineAddresses: async (url: string, signal: AbortSignal) => {
      const { addressExaminer } = await import('../doctor/address-examiner.js');
      return addressExaminer(await httpOptionsFrom(options))(url, signal);
    },
  };
}

async function openHttp(options: PortsOptions): Promise<HttpClient> {
  const [{ createHttpClient }, httpOptions] = await Promise.all([
    import('../http/client.js'),
    httpOptionsFrom(options),
  ]);
  if (options.requests === undefined) return createHttpClient(httpOptions);
  const { requestPrinter } = await import('./requests/request-log.js');
  return createHttpClient({ ...httpOptions, observe: requestPrinter(options.requests) });
}

/** What of the settings the HTTP client is made with. */
async function httpOptionsFrom({ env, userAgent, settings }: PortsOptions): Promise<HttpOptions> {
  const [{ systemResolver: resolve }, { caFile, clientCertificates, limits }] = await Promise.all([
    import('../http/resolve-host.js'),
    settings(),
  ]);
  return {
    env,
    userAgent,
    resolve,
    limits,
    ...(caFile === undefined ? {} : { caFile }),
    ...(clientCertificates === undefined ? {} : { clientCertificates }),
  };
}
