import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { readConfigFile } from './app/config-file.js';
import type { Context } from './app/context.js';
import { createFiles } from './app/files.js';
import { asks, type GlobalOptions } from './app/global-options.js';
import { createJournal } from './app/journal.js';
import { lazyExternalPrograms, lazyServeDocument } from './app/lazy-ports.js';
import { createPorts, type OwnPorts, openWire, type PortsOptions, proxyOpener } from './app/ports.js';
import { reportFailure } from './app/print-failure.js';
import { createSignals, ownProcess } from './app/process.js';
import { Redactor } from './app/redactor.js';
import { isUnattended, registry } from './app/registry.js';
import { runCommandLine } from './app/run.js';
import type { Keyboard } from './app/terminal/quiet-keys.js';
import { createSilence, createSpinner } from './app/terminal/spinner.js';
import { createResultWriter, linesTo, writerTo } from './app/write-stream.js';
import { HostPipe } from './bridge/host-pipe.js';
import type { CommandExit } from './core/command.js';
import { readConfiguration } from './core/configuration/configuration.js';
import { once } from './core/lazy.js';
import { interrupted } from './core/output-failures.js';
import type { Signals } from './core/ports.js';
import { createPrograms, type Programs } from './credential/exec-program.js';
import type { ReadInput } from './credential/read-input.js';
import { browserAvailability } from './login/browser/browser-availability.js';
import { callerName } from './login/browser/caller-name.js';
import type { LoginPorts } from './login/ports.js';
import { ownProgram } from './setup/machine/own-program.js';
import { withSessionBus } from './stores/keychain/bus-address.js';
import { inMemory, isInMemory } from './stores/memory-store.js';
import { statePaths } from './stores/paths.js';

/** Everything outside of the program that one run of it touches. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Keyboard; // late: it takes two milliseconds to be made, and few commands need it
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  readonly version: string;
  /** Address of the client ID metadata document of this release; empty: it has none. */
  readonly clientMetadataUrl: string;
  /** Ends the run: its reason is what the person is printed. */
  readonly interruption: AbortController;
  /** Starts what `exec` is printed to. */
  readonly programs: Programs;
  readonly launch: Launch;
  readonly signals: Signals;
  /** LoginPorts that somebody brings himself. */
  readonly own: OwnPorts;
}

/** How this process was started. */
export interface Launch {
  /** The launcher's absolute path. */
  readonly script: string;
  /** What the hot path has read of stdin. */
  readonly input: ReadInput | undefined;
  /** Milliseconds since the start. */
  readonly elapsed: () => number;
}

/** Runs one command line, the program's name left out, in this world. Never rejects; it ends no process. */
export async function run(argv: readonly string[], world: World): Promise<CommandExit> {
  const { signal } = world.interruption;
  const redactor = new Redactor();
  const lines = linesTo(world.stderr);
  const show = (text: string) => lines.line(redactor.redact(text));
  const colour = world.stderr.isTTY === true && (world.env['NO_COLOR'] ?? '') === '' && !asks(argv, '--no-color');
  const out = createResultWriter(writerTo(world.stdout), world.stdout.isTTY === true, (text) => redactor.redact(text));
  let ports: LoginPorts | undefined;
  const makeContext = (options: GlobalOptions): Context => {
    const printed = () => lines.taken(signal);
    const made = contextOf(options, { world, redactor, show, printed, colour, out });
    ports = made;
    return made;
  };
  warnOfEnvironment(world.env, show);
  try {
    signal.throwIfAborted();
    return await runCommandLine(argv, { registry, version: world.version, env: world.env, out, makeContext });
  } catch (error) {
    ports?.progress.end();
    const steps = ports?.journal.steps ?? [];
    const options = {
      json: asks(argv, '--json'),
      verbose: asks(argv, '--verbose', '-v'),
      colour,
      steps,
      oneLine: isUnattended(argv),
    };
    // Whatever fails once the program is to end fails because of that.
    const report = reportFailure(signal.aborted ? signal.reason : error, options);
    report.lines.forEach(show);
    return report.exit;
  } finally {
    ports?.progress.end();
    await ports?.http[Symbol.asyncDispose]();
  }
}

/** What `package.json` says of this release. */
export type Release = Pick<World, 'version' | 'clientMetadataUrl'>;

/**
 * What `bin/postern.js` calls: one run in the real world, whose end is that of the process.
 * @param script The launcher's absolute path. @param input What the hot path has read of stdin.
 */
export async function start(release: Release, script: string, input: ReadInput | undefined): Promise<void> {
  // The keychain's package looks at the environment of the process, and nowhere else.
  Object.assign(process.env, withSessionBus(process.env, process.geteuid?.()));
  const interruption = new AbortController();
  const signals = createSignals();
  const programs = createPrograms(process.env, signals);
  using owned = ownProcess({
    interrupt: () => interruption.abort(interrupted()),
    signal: interruption.signal,
    offer: (signal) => signals.offer(signal),
    fault: (error) => reportFailure(error, { json: false, verbose: false, colour: false, steps: [], oneLine: false }),
  });
  const { env, stdout, stderr, platform } = process;
  const launch = { script, input, elapsed: () => performance.now() };
  const own = { interruption, programs, signals, launch, stdin: () => process.stdin, own: {} };
  const world = { env, stdout, stderr, platform, homedir: homedir(), ...release, ...own };
  owned.end(await run(process.argv.slice(2), world), programs.endedBy);
}

interface Means {
  readonly world: World;
  readonly redactor: Redactor;
  readonly show: (line: string) => void;
  readonly printed: () => Promise<void>;
  readonly colour: boolean;
  readonly out: Context['out'];
}

function contextOf(options: GlobalOptions, means: Means): Context {
  const { world, show, printed, out } = means;
  const { env, stdin, stderr, platform, homedir, interruption } = world;
  const paths = () => statePaths(env, platform, homedir);
  const configurationFile = () => ({ folder: paths().config, found: readConfigFile(paths().config) });
  const configuration = once(async () => readConfiguration(configurationFile().found, env));
  const given = portsOptions(options, means, configuration);
  const ports = createPorts(given);
  const externalPrograms = lazyExternalPrograms({ env, platform, homedir, script: world.launch.script });
  const context: Context = {
    ...ports,
    out,
    json: options.json,
    nonInteractive: options.nonInteractive,
    tell: options.quiet ? () => undefined : show,
    printed,
    logins: async () => (await import('./login/logins.js')).createLogins(context),
    findServers: async (program, logins) =>
      (await import('./setup/find-servers.js')).findServers(externalPrograms, program, logins),
    configuration,
    configurationFile,
    files: createFiles(stdin),
    programs: world.programs,
    externalPrograms,
    clientMetadataUrl: world.clientMetadataUrl === '' ? undefined : world.clientMetadataUrl,
    serveDocument: lazyServeDocument(ports.clock, () => paths().state),
    openWire: () => openWire(given),
    host: () => new HostPipe(stdin(), world.stdout),
    openProxy: proxyOpener(given),
    signals: world.signals,
    signal: interruption.signal,
    stderrIsTerminal: stderr.isTTY === true,
    callerName: () => callerName(platform),
    availability: () => browserAvailability({ env, platform, fileExists: existsSync }),
    env,
    input: world.launch.input,
    timeLeft: (ms) => Math.max(0, ms - world.launch.elapsed()),
    self: () => ownProgram({ env, platform, homedir, script: world.launch.script }),
  };
  return context;
}

/** What the ports are made with. */
function portsOptions(options: GlobalOptions, means: Means, settings: PortsOptions['settings']): PortsOptions {
  const { world, redactor, show, colour } = means;
  const { env, stdin, stderr, platform, homedir, interruption } = world;
  const isQuiet = options.quiet || options.json;
  const spinner = stderr.isTTY === true && !isQuiet ? createSpinner(stderr as WriteStream, colour) : createSilence();
  const journal = createJournal({ show: options.verbose ? show : undefined, colour, recorded: () => spinner.end() });
  return {
    env,
    stdin,
    stderr,
    platform,
    homedir,
    spinner,
    journal,
    nonInteractive: options.nonInteractive,
    json: options.json,
    userAgent: `postern/${world.version}`,
    settings,
    tell: show,
    signal: interruption.signal,
    interrupt: () => interruption.abort(interrupted()),
    hold: (secret, kind) => redactor.hold(secret, kind),
    program: [process.execPath, world.launch.script],
    own: isInMemory(options) ? { ...world.own, ...inMemory() } : world.own,
  };
}

/** What is set for all of Node.js, and not what a person may think that it is here. */
function warnOfEnvironment(env: Readonly<Record<string, string | undefined>>, show: (line: string) => void): void {
  if ((env['NODE_DEBUG'] ?? '') !== '') {
    show('postern: NODE_DEBUG is set, with which Node.js prints what is sent and received, tokens among it.');
  }
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    show('postern: NODE_TLS_REJECT_UNAUTHORIZED=0 is set; certificates are checked all the same.');
  }
}
