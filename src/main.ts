import type { Context, World } from './app/context.js';
import type { FailedLine } from './app/explain.js';
import { asks, type GlobalOptions } from './app/global-options.js';
import { endOf, laidOut, reportFailure } from './app/print-failure.js';
import { createSignals, ownProcess } from './app/process.js';
import { registry } from './app/registry.js';
import { runCommandLine } from './app/run.js';
import { createKeyboard } from './app/terminal/keyboard.js';
import { createContext } from './app/world.js';
import { createResultWriter, fieldWriter, linesTo, writerTo } from './app/write-stream.js';
import type { CommandExit, CommandTable } from './core/command.js';
import { environmentLines } from './core/configuration/configuration.js';
import { isFailure } from './core/failure.js';
import { interrupted } from './core/failures.js';
import type { Release } from './core/product.js';
import { redact } from './core/secret.js';
import { lookOf } from './core/text/look.js';
import { asciiJson, printable } from './core/text/printable.js';
import { createPrograms } from './credential/exec-program.js';
import type { ReadInput } from './credential/read-call.js';
import { takeToken } from './stores/environment-token.js';
import { withSessionBus } from './stores/keychain/bus-address.js';
import { homeFolder } from './stores/paths.js';

/** Runs one command line, the program's name left out, in this world. Never rejects; it ends no process. */
export async function run(argv: readonly string[], world: World): Promise<CommandExit> {
  const { version, env } = world;
  const { signal } = world.interruption;
  const lines = linesTo(world.stderr);
  const allowed = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb' && !asks(argv, '--no-color');
  const looks = { look: lookOf(world.stdout, allowed), tellLook: lookOf(world.stderr, allowed) };
  const tellLook = world.stderr.isTTY === true ? looks.tellLook : undefined;
  const show = (line: string) => {
    const text = redact(line);
    for (const one of tellLook === undefined ? [text] : laidOut(text, tellLook)) lines.line(one);
  };
  const width = world.stdout.isTTY === true ? looks.look.width : undefined;
  const out = createResultWriter(writerTo(world.stdout), width, redact);
  let ports: Context | undefined;
  let reported = 0;
  const printFailure = (error: unknown, table?: CommandTable, ways?: readonly string[]): CommandExit => {
    ports?.progress.end();
    const steps = ports?.journal.steps.slice(reported) ?? [];
    reported += steps.length;
    const options = {
      ways,
      json: asks(argv, '--json'),
      verbose: asks(argv, '--verbose', '-v'),
      steps,
      oneLine: table?.unattended === true && world.stderr.isTTY !== true,
    };
    const failed = reportFailure(error, options);
    failed.lines.forEach(show);
    return failed.exit;
  };
  const makeContext = (options: GlobalOptions, table: CommandTable): Context => {
    const printed = () => lines.taken(signal);
    const notes = options.verbose ? environmentLines(env).map((line) => printable(line, 400)) : [];
    for (const note of notes) show(options.json ? asciiJson({ note }) : `Note: ${note}`);
    const { field } = options;
    const own = { out: field === undefined ? out : fieldWriter(out, field), table };
    const context = createContext({
      ...{ world, options, show, printed, ...looks, ...own },
      printFailure: (error) => printFailure(error, table),
    });
    ports = context;
    return context;
  };
  const fail = async (error: unknown, line: FailedLine): Promise<CommandExit> => {
    const end = endOf(error, signal);
    if (!isFailure(end)) return printFailure(end, line.table);
    const { explain } = await import('./app/explain.js');
    return printFailure(end, line.table, await explain(end, line, world));
  };
  warnOfEnvironment(env, show);
  try {
    signal.throwIfAborted();
    return await runCommandLine(argv, { registry, version, env, out, look: looks.look, makeContext, fail });
  } catch (error) {
    return printFailure(endOf(error, signal));
  } finally {
    ports?.progress.end();
    await ports?.http[Symbol.asyncDispose]();
  }
}

/**
 * What `bin/postern.js` calls: one run in the real world, whose end is that of the process.
 * @param script The launcher's absolute path. @param input What the hot path has read of stdin.
 */
export async function start(release: Release, script: string, input?: ReadInput): Promise<void> {
  if (process.argv[2] === '__complete') {
    const { printCompletion } = await import('./app/completion/start.js');
    return printCompletion(process.argv.slice(3));
  }
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
  const launch = { script, input, elapsed: () => performance.now() };
  const stdin = createKeyboard(() => process.stdin);
  const own = { interruption, programs, signals, launch, tokenGiven, stdin, own: {} };
  const world = { env, stdout, stderr, platform, homedir: homeFolder(), ...release, ...own };
  owned.end(await run(process.argv.slice(2), world), programs.endedBy);
}

/** Warns of variables that mean something else here than the user may think. */
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
