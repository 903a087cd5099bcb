import { join } from 'node:path';
import type { WriteStream } from 'node:tty';
import { HostPipe } from '../bridge/host-pipe.js';
import { readConfiguration } from '../core/configuration/configuration.js';
import { lazy, once } from '../core/lazy.js';
import { interrupted } from '../core/output-failures.js';
import { asciiJson } from '../core/text/printable.js';
import { browserAvailability } from '../login/browser/browser-availability.js';
import { callerName } from '../login/browser/caller-name.js';
import { ownProgram } from '../setup/machine/own-program.js';
import { createAssertions } from '../stores/assertions.js';
import { createClock } from '../stores/clock.js';
import { inMemory } from '../stores/memory-store.js';
import { isInMemory } from '../stores/own-login.js';
import { statePaths } from '../stores/paths.js';
import { programWords } from '../stores/run-program.js';
import type { HeaderArguments } from '../tokens/server-headers/read-headers.js';
import { readConfigFile } from './configuration/config-file.js';
import type { Context, OwnPorts, Run, World } from './context.js';
import { createFiles } from './files.js';
import { createJournal } from './journal.js';
import { createNetwork } from './network.js';
import { joinedPorts, personPorts, programPorts, storePorts } from './ports.js';
import { loggedJson, loggedLine } from './request-log.js';
import { createSilence, createSpinner } from './terminal/spinner.js';
import { createTerminal } from './terminal/terminal.js';

/** What commands take of the world. To be closed: its HTTP client. */
export function createContext(run: Run): Context {
  const { world, options, table: _, show, ...shown } = run;
  const { env, platform, homedir } = world;
  const paths = () => statePaths(env, platform, homedir);
  const configurationFile = () => ({ folder: paths().config, found: readConfigFile(paths().config) });
  const configuration = once(async () => readConfiguration(configurationFile().found, env));
  const own = isInMemory(options) ? { ...world.own, ...inMemory() } : world.own;
  const common = commonPorts(run, own);
  const state = statePorts(world, own, common.clock);
  const network = createNetwork({ world, options, show, clock: common.clock, settings: configuration });
  const { openEngine } = network;
  const stores = storePorts(run, { own, settings: configuration, ...common, ...state, openEngine });
  const editor = lazy(async () =>
    (await import('./configuration/config-editor.js')).createConfigEditor(() => paths().config, env, world.programs),
  );
  const context: Context = {
    ...common,
    ...state,
    ...stores,
    ...personPorts(world, own),
    ...programPorts(world),
    ...joinedPorts(() => context, network.httpOptions),
    http: network.http,
    openEngine,
    ...shown,
    ...machinePorts(world),
    limits: async () => (await configuration()).limits,
    givenHeaders: once(() => givenHeaders(run)),
    detachedRefresh: async (login, limits) => {
      const { createDetachedRefresh } = await import('../tokens/detached-refresh.js');
      await createDetachedRefresh(programWords(world.launch.script), env, network.report)(login, limits);
    },
    json: options.json,
    help: options.help,
    nonInteractive: options.nonInteractive,
    tell: options.quiet ? () => undefined : show,
    logins: async () => (await import('../login/logins.js')).createLogins(context),
    askServer: async (asked, ask) =>
      await (await import('../call/create-conversation.js')).askServer(context, asked, ask),
    configuration,
    configurationFile,
    writeConfiguration: editor.writeConfiguration,
    editText: editor.editText,
    openWire: network.openWire,
    openProxy: network.openProxy,
    requestLog: requestLogOf(run),
  };
  return context;
}

/** This machine, and how this process was started. */
function machinePorts(world: World) {
  const { env, stdin, stdout, stderr, platform, homedir, interruption, launch, clientMetadataUrl } = world;
  return {
    env,
    files: createFiles(stdin),
    host: () => new HostPipe(stdin(), stdout),
    signal: interruption.signal,
    stderrIsTerminal: stderr.isTTY === true,
    callerName: () => callerName(platform),
    availability: () => browserAvailability({ env, platform }),
    clientMetadataUrl: clientMetadataUrl === '' ? undefined : clientMetadataUrl,
    input: launch.input,
    timeLeft: (ms: number) => Math.max(0, ms - launch.elapsed()),
    self: () => ownProgram({ env, platform, homedir, script: launch.script }),
  };
}

/** Time, the person at the terminal, and what is recorded and shown on the way. */
function commonPorts(run: Run, own: OwnPorts) {
  const { world, options, show, tellLook } = run;
  const { env, stdin, stderr, interruption, signals } = world;
  const isSilent = stderr.isTTY !== true || options.quiet || options.json;
  const spinner = isSilent ? createSilence() : createSpinner(stderr as WriteStream, tellLook.color);
  const interrupt = () => {
    if (!signals.offer('SIGINT')) interruption.abort(interrupted());
  };
  const { json, nonInteractive, verbose } = options;
  return {
    clock: own.clock ?? createClock(),
    progress: spinner,
    journal: createJournal({ show: verbose ? show : undefined, json, recorded: () => spinner.end() }),
    terminal:
      own.terminal ?? createTerminal({ stdin, stderr, env, nonInteractive, json, tell: show, spinner, interrupt }),
  };
}

/** What lies in the state folder, beside the secrets. */
function statePorts({ env, platform, homedir }: World, own: OwnPorts, clock: Context['clock']) {
  const folder = () => statePaths(env, platform, homedir).state;
  const locks = lazy(async () => {
    const { createLocks } = await import('../stores/state/locks.js');
    return createLocks({ directory: join(folder(), 'locks'), clock });
  });
  return {
    folder,
    locks,
    localIndex: lazy(async () => {
      const { createCredentialIndex } = await import('../stores/index/credential-index.js');
      return createCredentialIndex({ directory: folder(), locks });
    }),
    assertions: createAssertions({ env }),
    recovery: lazy(async () => {
      const { createRecovery } = await import('../stores/state/recovery.js');
      return createRecovery({ directory: join(folder(), 'recovery') });
    }),
    attempts: lazy(async () => {
      const { createAttempts } = await import('../stores/state/small-files.js');
      return createAttempts({ directory: folder(), locks, clock });
    }),
    failures: lazy(async () => {
      const { createFormatFailures } = await import('../stores/state/small-files.js');
      return createFormatFailures({ directory: folder(), locks });
    }),
    toolLists:
      own.toolLists ?? lazy(async () => (await import('../stores/state/tool-lists.js')).createToolLists(folder())),
    shellHistory: async () => {
      const { createShellHistory } = await import('../stores/state/small-files.js');
      return createShellHistory({ directory: folder(), locks });
    },
  };
}

/** The headers of the command line; their variable is taken out of the environment that programs inherit. */
async function givenHeaders({ world, options, table, show }: Run) {
  const headers = options as HeaderArguments;
  if (headers.headerFile === undefined && headers.headerEnv === undefined) return undefined;
  const { readGivenHeaders } = await import('../tokens/server-headers/read-headers.js');
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
