import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { commandFirst } from './app/command-first.js';
import { readConfigFile } from './app/configuration/config-file.js';
import type { Context } from './app/context.js';
import { fieldWriter } from './app/field.js';
import { createFiles } from './app/files.js';
import { keeperPorts } from './app/fleet/keeper-ports.js';
import { asks, type GlobalOptions } from './app/global-options.js';
import { ownTables } from './app/help/own-tables.js';
import { createJournal } from './app/journal.js';
import { externalPorts, lazyConfigEditor, lazyPages, shellPorts } from './app/lazy-ports.js';
import { createPorts, doctorPorts, type OwnPorts, openWire, type PortsOptions, proxyOpener } from './app/ports.js';
import { endOf, laidOut, reportFailure } from './app/print-failure.js';
import { createSignals, type OwnSignals, ownProcess } from './app/process.js';
import { Redactor } from './app/redactor.js';
import { isUnattended, registry } from './app/registry.js';
import { loggedJson, loggedLine } from './app/requests/logged-request.js';
import { runCommandLine } from './app/run.js';
import { createKeyboard } from './app/terminal/keyboard.js';
import type { Keyboard } from './app/terminal/quiet-keys.js';
import { createSilence, createSpinner } from './app/terminal/spinner.js';
import { createResultWriter, linesTo, writerTo } from './app/write-stream.js';
import { HostPipe } from './bridge/host-pipe.js';
import type { CommandExit, CommandTable } from './core/command.js';
import { environmentLines, readConfiguration } from './core/configuration/configuration.js';
import { once } from './core/lazy.js';
import { interrupted } from './core/output-failures.js';
import type { Release } from './core/product.js';
import { lookOf } from './core/text/look.js';
import { asciiJson, printable } from './core/text/printable.js';
import { createPrograms, type Programs } from './credential/exec-program.js';
import type { HotEnd } from './hot-path.js';
import { browserAvailability } from './login/browser/browser-availability.js';
import { callerName } from './login/browser/caller-name.js';
import type { LoginPorts } from './login/ports.js';
import { ownProgram } from './setup/machine/own-program.js';
import { type EnvironmentLogin, environmentLogin, mentionsToken, takeToken } from './stores/environment-token.js';
import { withSessionBus } from './stores/keychain/bus-address.js';
import { inMemory, isInMemory } from './stores/memory-store.js';
import { homeFolder, statePaths } from './stores/paths.js';
import { programWords } from './stores/run-program.js';

/** A standard stream that may be a terminal. */
type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything outside of the program that one run of it touches. */
export interface World extends Release {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Keyboard; // late: it takes two milliseconds to be made, and few commands need it
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** Ends the run: its reason is what the person is printed. */
  readonly interruption: AbortController;
  /** Starts what `exec` is printed to. */
  readonly programs: Programs;
  readonly launch: Launch;
  /** A token that was taken out of the environment, as `takeToken` returns it. */
  readonly tokenGiven: Readonly<Record<string, string | undefined>>;
  readonly signals: OwnSignals;
  /** LoginPorts that somebody brings himself. */
  readonly own: OwnPorts;
}

/** How this process was started. */
export interface Launch {
  /** The launcher's absolute path, or that of the single executable. */
  readonly script: string;
  /** What the hot path has left, where it was tried. */
  readonly before: HotEnd | undefined;
  /** Milliseconds since the start. */
  readonly elapsed: () => number;
}

/** Runs one command line, the program's name left out, in this world. Never rejects; it ends no process. */
export async function run(given: readonly string[], world: World): Promise<CommandExit> {
  const argv = commandFirst(given, [...registry.map(({ table }) => table), ...ownTables]);
  const { signal } = world.interruption;
  const redactor = new Redactor();
  const lines = linesTo(world.stderr);
  const allowed = (world.env['NO_COLOR'] ?? '') === '' && world.env['TERM'] !== 'dumb' && !asks(argv, '--no-color');
  const looks = { look: lookOf(world.stdout, allowed), tellLook: lookOf(world.stderr, allowed) };
  const tellLook = world.stderr.isTTY === true ? looks.tellLook : undefined;
  const show = (line: string) => {
    const text = redactor.redact(line);
    for (const one of tellLook === undefined ? [text] : laidOut(text, tellLook)) lines.line(one);
  };
  const width = world.stdout.isTTY === true ? looks.look.width : undefined;
  const out = createResultWriter(writerTo(world.stdout), width, (text) => redactor.redact(text));
  let ports: LoginPorts | undefined;
  let reported = 0;
  const printFailure = (error: unknown): CommandExit => {
    ports?.progress.end();
    const steps = ports?.journal.steps.slice(reported) ?? [];
    reported += steps.length;
    const options = {
      json: asks(argv, '--json'),
      verbose: asks(argv, '--verbose', '-v'),
      steps,
      oneLine: isUnattended(argv) && world.stderr.isTTY !== true,
    };
    const failed = reportFailure(error, options);
    failed.lines.forEach(show);
    return failed.exit;
  };
  const makeContext = (options: GlobalOptions, table: CommandTable): Context => {
    const printed = () => lines.taken(signal);
    if (options.verbose) for (const line of environmentLines(world.env)) noteOn(options, show, line);
    const { field } = options;
    const own = { out: field === undefined ? out : fieldWriter(out, field), table, printFailure };
    const made = contextOf(options, { world, redactor, show, printed, looks, ...own });
    ports = made;
    return made;
  };
  warnOfEnvironment(world.env, show);
  try {
    signal.throwIfAborted();
    return await runCommandLine(argv, {
      registry,
      version: world.version,
      env: world.env,
      out,
      look: looks.look,
      makeContext,
    });
  } catch (error) {
    return printFailure(endOf(error, signal, world.tokenGiven));
  } finally {
    ports?.progress.end();
    await ports?.http[Symbol.asyncDispose]();
  }
}

/**
 * What `bin/postern.js` calls: one run in the real world, whose end is that of the process.
 * @param script The launcher's absolute path. @param before What the hot path has left, where it was tried.
 */
export async function start(release: Release, script: string, before: HotEnd | undefined): Promise<void> {
  // The keychain's package looks at the environment of the process, and nowhere else.
  Object.assign(process.env, withSessionBus(process.env, process.geteuid?.()));
  const interruption = new AbortController();
  const signals = createSignals();
  const tokenGiven = takeToken(process.env);
  const programs = createPrograms(process.env, signals);
  using owned = ownProcess({
    interrupt: () => interruption.abort(interrupted()),
    signal: interruption.signal,
    offer: (signal) => signals.offer(signal),
    fault: (error) => reportFailure(error, { json: false, verbose: false, steps: [], oneLine: false }),
  });
  const { env, stdout, stderr, platform } = process;
  const launch = { script, before, elapsed: () => performance.now() };
  const stdin = createKeyboard(() => process.stdin);
  const own = { interruption, programs, signals, launch, tokenGiven, stdin, own: {} };
  const world = { env, stdout, stderr, platform, homedir: homeFolder(), ...release, ...own };
  owned.end(await run(process.argv.slice(2), world), programs.endedBy);
}

interface Means {
  readonly world: World;
  readonly redactor: Redactor;
  /** Prints a line on stderr; at a terminal it is laid out. */
  readonly show: (line: string) => void;
  readonly printed: () => Promise<void>;
  readonly looks: Pick<Context, 'look' | 'tellLook'>;
  readonly out: Context['out'];
  readonly printFailure: Context['printFailure'];
  /** Of the command that runs. */
  readonly table: CommandTable;
}

function contextOf(options: GlobalOptions, means: Means): Context {
  const { world, show, printed, out } = means;
  const { env, stdin, stderr, platform, homedir, interruption } = world;
  const paths = () => statePaths(env, platform, homedir);
  const configurationFile = () => ({ folder: paths().config, found: readConfigFile(paths().config) });
  const configuration = once(async () => readConfiguration(configurationFile().found, env));
  const given = portsOptions(options, means, configuration);
  const ports = createPorts(given);
  const external = externalPorts({ env, platform, homedir, script: world.launch.script });
  const context: Context = {
    ...ports,
    ...means.looks,
    out,
    json: options.json,
    help: options.help,
    nonInteractive: options.nonInteractive,
    tell: options.quiet ? () => undefined : show,
    printed,
    logins: async () => (await import('./login/logins.js')).createLogins(context),
    ...doctorPorts(() => context, given),
    pages: lazyPages(ports.browser),
    askServer: async (asked, ask) => await (await import('./call/ask-server.js')).askServer(context, asked, ask),
    configuration,
    configurationFile,
    ...lazyConfigEditor(() => paths().config, env, world.programs),
    files: createFiles(stdin),
    programs: world.programs,
    printFailure: means.printFailure,
    ...shellPorts({ env, stdin, stderr, signal: interruption.signal, folder: () => paths().state, locks: ports.locks }),
    ...external,
    clientMetadataUrl: world.clientMetadataUrl === '' ? undefined : world.clientMetadataUrl,
    openWire: () => openWire(given),
    host: () => new HostPipe(stdin(), world.stdout),
    openProxy: proxyOpener(given),
    ...keeperPorts(),
    signals: world.signals,
    requestLog: requestLogOf(options, means),
    signal: interruption.signal,
    stderrIsTerminal: stderr.isTTY === true,
    callerName: () => callerName(platform),
    availability: () => browserAvailability({ env, platform, fileExists: existsSync }),
    env,
    input: world.launch.before?.input,
    timeLeft: (ms) => Math.max(0, ms - world.launch.elapsed()),
    self: () => ownProgram({ env, platform, homedir, script: world.launch.script }),
  };
  return context;
}

/** `sandbox` and `proxy` say what they are asked at a terminal, and with `--verbose`. */
function requestLogOf({ verbose, quiet, json }: GlobalOptions, means: Means): Context['requestLog'] {
  const isWatched = means.world.stderr.isTTY === true && !json;
  if (quiet || !(verbose || isWatched)) return undefined;
  return (request) =>
    means.show(json ? asciiJson({ request: loggedJson(request) }) : loggedLine(request, means.looks.tellLook));
}

/** What of the environment changes whom we talk to, and whom we trust. */
function noteOn({ json }: GlobalOptions, show: (line: string) => void, line: string): void {
  const note = printable(line, 400);
  show(json ? asciiJson({ note }) : `Note: ${note}`);
}

/** What the ports are made with. */
function portsOptions(options: GlobalOptions, means: Means, settings: PortsOptions['settings']): PortsOptions {
  const { world, redactor, show } = means;
  const colour = means.looks.tellLook.color;
  const { env, stdin, stderr, platform, homedir, interruption } = world;
  const spinner =
    stderr.isTTY === true && !(options.quiet || options.json)
      ? createSpinner(stderr as WriteStream, colour)
      : createSilence();
  const journal = createJournal({
    show: options.verbose ? show : undefined,
    json: options.json,
    recorded: () => spinner.end(),
  });
  return {
    ...{ env, stdin, stderr, platform, homedir, spinner, journal },
    nonInteractive: options.nonInteractive,
    json: options.json,
    userAgent: `postern/${world.version}`,
    settings,
    tell: show,
    signal: interruption.signal,
    interrupt: () => {
      if (!world.signals.offer('SIGINT')) interruption.abort(interrupted());
    },
    hold: (secret, kind) => redactor.hold(secret, kind),
    headers: options,
    program: programWords(world.launch.script),
    keychain: world.launch.before?.keychain,
    known: world.launch.before?.index,
    command: means.table.name,
    requests: options.verbose ? { show, json: options.json } : undefined,
    own: isInMemory(options) ? { ...world.own, ...inMemory() } : world.own,
    environment:
      means.table.environmentToken === true && mentionsToken(world.tokenGiven)
        ? readToken(world.tokenGiven)
        : undefined,
  };
}

/** Read once, and when logins are looked for: what is wrong with it is then the command's failure. */
function readToken(given: World['tokenGiven']): () => EnvironmentLogin {
  let login: EnvironmentLogin | undefined;
  return () => {
    login ??= environmentLogin(given, Date.now());
    return login;
  };
}

/** What is set for all of Node.js, and not what a person may think that it is here. */
function warnOfEnvironment(env: Readonly<Record<string, string | undefined>>, show: (line: string) => void): void {
  if ((env['NODE_DEBUG'] ?? '') !== '') {
    show('postern: NODE_DEBUG is set, with which Node.js prints what is sent and received, tokens among it.');
  }
  const unread = 'POSTERN_CLIENT_SECRET';
  if ((env[unread] ?? '') !== '') show(`postern: ${unread} is not read; name the secret’s file in ${unread}_FILE.`);
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    show('postern: NODE_TLS_REJECT_UNAUTHORIZED=0 is set; certificates are checked all the same.');
  }
}
