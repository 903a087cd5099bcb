import { randomUUID } from 'node:crypto';
import { once as happened } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { WriteStream } from 'node:tty';
import { HostPipe } from '../bridge/host-pipe.js';
import { readConfiguration } from '../core/configuration/configuration.js';
import { interrupted } from '../core/failures.js';
import { lazy, once } from '../core/lazy.js';
import type { SharedKind } from '../core/records.js';
import { asciiJson } from '../core/text/printable.js';
import { browserAvailability } from '../login/browser/browser-availability.js';
import { callerName } from '../login/browser/caller-name.js';
import { ownProgram } from '../setup/machine/own-program.js';
import { createAssertions } from '../stores/assertions.js';
import { createClock } from '../stores/clock.js';
import {
  environmentLogin,
  environmentStore,
  mentionsToken,
  withEnvironmentLogin,
} from '../stores/environment-token.js';
import { withSharedLogins } from '../stores/index/with-shared-logins.js';
import { isInMemory } from '../stores/own-login.js';
import { statePaths } from '../stores/paths.js';
import type { CredentialIndex, SecretStores, StorePorts } from '../stores/ports.js';
import { programWords } from '../stores/run-program.js';
import { createStoreRouter, createStores, inMemory } from '../stores/stores.js';
import type { HeaderArguments } from '../tokens/server-headers.js';
import { createConfigEditor, readConfigFile } from './config-file.js';
import type { Context, OwnPorts, Run, World } from './context.js';
import { createFiles } from './files.js';
import { createNetwork, type Network } from './network.js';
import { createJournal } from './print-failure.js';
import { loggedJson, loggedLine } from './request-log.js';
import { createSilence, createSpinner } from './terminal/spinner.js';
import { createTerminal } from './terminal/terminal.js';

/** What commands take of the world. To be closed: its HTTP client. */
export function createContext(run: Run): Context {
  const { world, options, table: _, show, ...shown } = run;
  const { env, platform, homedir, launch } = world;
  const paths = () => statePaths(env, platform, homedir);
  const configurationFile = () => ({ folder: paths().config, found: readConfigFile(paths().config) });
  const configuration = once(async () => readConfiguration(configurationFile().found, env));
  const own = isInMemory(options) ? { ...world.own, ...inMemory() } : world.own;
  const person = personPorts(run, own);
  const state = statePorts(() => paths().state, own, person.clock);
  const network = createNetwork(run, { clock: person.clock, settings: configuration });
  const { http, openEngine, openWire, openProxy } = network;
  const context: Context = {
    ...{ ...shown, ...person, ...state, http, openEngine, openWire, openProxy, configuration, configurationFile },
    ...storePorts(run, { ...state, ...person, own, settings: configuration, openEngine }),
    ...machinePorts(world),
    ...joinedPorts(() => context, network),
    ...createConfigEditor(() => paths().config, env, world.programs),
    limits: async () => (await configuration()).limits,
    givenHeaders: once(() => givenHeaders(run)),
    detachedRefresh: async (login, limits) => {
      const { createDetachedRefresh } = await import('../credential/grant-token.js');
      await createDetachedRefresh(programWords(launch.script), env, network.report)(login, limits);
    },
    json: options.json,
    help: options.help,
    nonInteractive: options.nonInteractive,
    tell: options.quiet ? () => undefined : show,
    requestLog: requestLogOf(run),
  };
  return context;
}

/** Time, the user at the terminal and in the browser, and what is recorded and shown. */
function personPorts({ world, options, show, tellLook }: Run, own: OwnPorts) {
  const { env, platform, stdin, stderr, interruption, signals } = world;
  const { json, nonInteractive, verbose, quiet } = options;
  const isSilent = stderr.isTTY !== true || quiet || json;
  const spinner = isSilent ? createSilence() : createSpinner(stderr as WriteStream, tellLook.color);
  const interrupt = () => {
    if (!signals.offer('SIGINT')) interruption.abort(interrupted());
  };
  const browser =
    own.browser ??
    lazy(async () => (await import('../login/browser/open-browser.js')).createBrowser({ platform, env }));
  return {
    clock: own.clock ?? createClock(),
    progress: spinner,
    journal: createJournal({ show: verbose ? show : undefined, json, recorded: () => spinner.end() }),
    terminal:
      own.terminal ?? createTerminal({ stdin, stderr, env, nonInteractive, json, tell: show, spinner, interrupt }),
    browser,
    listeners: { listen: async (at) => (await import('../login/browser/callback-listener.js')).listenForCallback(at) },
    pages: lazy(async () => (await import('../login/browser/server-pages.js')).createServerPages(browser)),
    openLineReader: async (reading) => {
      const { TerminalLineReader } = await import('./terminal/line-reader.js');
      return new TerminalLineReader(stdin(), stderr, reading);
    },
  } satisfies Partial<Context>;
}

/** What lies in the state folder, beside the secrets. */
function statePorts(folder: () => string, own: OwnPorts, clock: Context['clock']) {
  const smallFiles = () => import('../stores/state/small-files.js');
  const locks = lazy(async () =>
    (await import('../stores/state/locks.js')).createLocks({ directory: join(folder(), 'locks'), clock }),
  );
  return {
    folder,
    locks,
    localIndex: lazy(async () =>
      (await import('../stores/index/credential-index.js')).createCredentialIndex({ directory: folder(), locks }),
    ),
    recovery: lazy(async () =>
      (await import('../stores/state/recovery.js')).createRecovery({ directory: join(folder(), 'recovery') }),
    ),
    attempts: lazy(async () => (await smallFiles()).createAttempts({ directory: folder(), locks, clock })),
    failures: lazy(async () => (await smallFiles()).createFormatFailures({ directory: folder(), locks })),
    toolLists:
      own.toolLists ?? lazy(async () => (await import('../stores/state/tool-lists.js')).createToolLists(folder())),
    shellHistory: async () => (await smallFiles()).createShellHistory({ directory: folder(), locks }),
  };
}

interface StoreParts extends Pick<Context, 'clock' | 'terminal' | 'locks' | 'openEngine'> {
  readonly folder: () => string;
  readonly own: OwnPorts;
  readonly settings: Context['configuration'];
  readonly localIndex: Omit<CredentialIndex, 'adopt'>;
}

/** Where the secrets are, and which logins there are. */
function storePorts({ world, table }: Run, parts: StoreParts): Pick<StorePorts, 'stores' | 'store' | 'index'> {
  const { own, settings, localIndex, folder: stateFolder } = parts;
  const { platform, env, interruption, tokenGiven } = world;
  const { signal } = interruption;
  const openShared = async (kind: SharedKind) =>
    (await import('../fleet/shared/shared-store.js')).openShared({ ...parts, env, signal }, kind);
  const limits = async () => (await settings()).limits;
  const usual = createStores({ ...parts, platform, env, stateFolder, signal, limits, openShared });
  // Read once, when a login is looked up, so that a bad value fails the command.
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
  const adopting = ownIndex ?? withSharedLogins(localIndex, { stores: usual, configured });
  const index = hasToken && ownIndex === undefined ? withEnvironmentLogin(adopting, environment) : adopting;
  return { stores, index, store: store ?? createStoreRouter({ index, stores }) };
}

/** This machine, how this process was started, and other programs. */
function machinePorts(world: World) {
  const { env, stdin, stdout, stderr, platform, homedir, interruption, launch, clientMetadataUrl } = world;
  const { programs, signals } = world;
  const { signal } = interruption;
  const { script, input } = launch;
  return {
    ...{ env, programs, signals, signal, input },
    files: createFiles(stdin),
    host: () => new HostPipe(stdin(), stdout),
    stderrIsTerminal: stderr.isTTY === true,
    callerName: () => callerName(platform),
    availability: () => browserAvailability({ env, platform }),
    clientMetadataUrl: clientMetadataUrl === '' ? undefined : clientMetadataUrl,
    assertions: createAssertions({ env }),
    timeLeft: (ms) => Math.max(0, ms - launch.elapsed()),
    self: () => ownProgram({ env, platform, homedir, script }),
    externalPrograms: async () =>
      (await import('../setup/machine/external-programs.js')).createExternalPrograms({
        env,
        platform,
        homedir,
        script,
      }),
    startServer: async (command, said) =>
      (await import('./server-program.js')).startServerProgram({ command, env, said, signal }),
    processName: () => `${hostname()} (process ${process.pid})`,
    randomId: () => randomUUID(),
    listenLocally: async (server, where) => (await import('../proxy/listen.js')).listen(server, where),
    canListen,
  } satisfies Partial<Context>;
}

/** Opens a port on loopback, as a login does for its callback, and closes it. */
async function canListen(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await happened(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Ports by which one feature uses another. */
function joinedPorts(context: () => Context, { httpOptions }: Network) {
  const findServers = async () => await import('../setup/find-servers.js');
  return {
    logins: async () => (await import('../login/logins.js')).createLogins(context()),
    askServer: async (asked, ask) =>
      await (await import('../call/create-conversation.js')).askServer(context(), asked, ask),
    logInForRun: async (wanted) => (await import('../login/login-for-run.js')).logInForRun(context(), wanted),
    findServers: async (program, logins) =>
      (await findServers()).findServers(context().externalPrograms, program, logins),
    programsWithServers: async (logins) =>
      (await findServers()).programsWithServers(context().externalPrograms, logins),
    checkPrograms: async (program) => (await import('../setup/check-programs.js')).checkPrograms(context(), program),
    brokenLogins: async () => (await import('../login/status/login-status.js')).brokenLogins(context()),
    findingsPage: async () => (await import('./help/topics.js')).readTopic('findings').text,
    examineAddresses: async (url, signal) => {
      const { addressExaminer } = await import('../doctor/address-examiner.js');
      return addressExaminer(await httpOptions())(url, signal);
    },
  } satisfies Partial<Context>;
}

/** The headers of the command line; their variable is taken out of the environment that programs inherit. */
async function givenHeaders({ world, options, table, show }: Run) {
  const headers = options as HeaderArguments;
  if (headers.headerFile === undefined && headers.headerEnv === undefined) return undefined;
  const { readGivenHeaders } = await import('../tokens/server-headers.js');
  const env = world.env as Record<string, string | undefined>;
  const takeVariable = (name: string) => {
    const value = env[name];
    delete env[name];
    return value;
  };
  return readGivenHeaders({ files: createFiles(world.stdin), takeVariable, tell: show, command: table.name }, headers);
}

/** `sandbox` and `proxy` log their requests at a terminal, and with `--verbose`. */
function requestLogOf({ world, options, show, tellLook }: Run): Context['requestLog'] {
  const { verbose, quiet, json } = options;
  const isWatched = world.stderr.isTTY === true && !json;
  if (quiet || !(verbose || isWatched)) return undefined;
  return (request) => show(json ? asciiJson({ request: loggedJson(request) }) : loggedLine(request, tellLook));
}
