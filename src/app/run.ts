import {
  type ArgumentsOf,
  type CommandExit,
  type CommandTable,
  isCommandName,
  type LooseArguments,
  type ResultWriter,
} from '../core/command.js';
import { Failure, ignoreFailure, isFailure } from '../core/failure.js';
import { withDoctor } from '../core/login-command.js';
import type { Look } from '../core/text/look.js';
import { usageWrong } from '../core/usage-failures.js';
import { type ParsedLine, parseCommandLine } from './command-line.js';
import type { Context } from './context.js';
import { asks, commandAt, type GlobalOptions } from './global-options.js';
import { helpTable, ownTables } from './help/own-tables.js';
import type { CommandEntry } from './registry.js';
import { withLineMeant, withServerNamed, withWaysOfJobs } from './wrong-command-line.js';

/** What a run of the command line is given. */
export interface CommandLine {
  readonly registry: readonly CommandEntry[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: ResultWriter;
  readonly look: Look;
  readonly makeContext: (options: GlobalOptions, table: CommandTable) => Context;
}

/**
 * Runs one command line, the program's name left out.
 * @throws Failure `usage_wrong`, or the command's own
 */
export async function runCommandLine(argv: readonly string[], line: CommandLine): Promise<CommandExit> {
  const { registry, version, env, out, look, makeContext } = line;
  const tables = registry.map(({ table }) => table);
  const loginNames = async () => {
    const document = await makeContext(noOptions, helpTable).index.read().catch(ignoreFailure);
    return (document?.logins ?? []).flatMap(({ name }) => name ?? []);
  };
  const readLine = (words: readonly string[]) => parseCommandLine(words, { tables, version, env, loginNames });
  const withWays = async (error: unknown, of: CommandTable | undefined): Promise<unknown> => {
    if (!isFailure(error, 'word_missing')) return error;
    const { withWaysOn } = await import('./help/missing-word.js');
    return await withWaysOn(error, of, makeContext(noOptions, helpTable));
  };
  const named = argv[commandAt(argv, [...tables, ...ownTables])];
  const typed = registry.find((one) => isCommandName(one.table, named));
  const parsed =
    (await ownHelp(argv, typed, readLine)) ??
    (await readLine(argv).catch(async (error: unknown) => {
      throw withLineMeant(await withWays(error, typed?.table), argv, typed?.table);
    }));
  if (parsed.kind !== 'command') {
    const isAlone = parsed.kind === 'help' && argv.every((word) => word === '--no-color');
    const { explain, greet } = await import('./help/help.js');
    await out.write(
      isAlone ? await greet(look, () => makeContext(noOptions, helpTable)) : await explain(look, parsed, tables),
    );
    return 0;
  }
  const { table } = parsed;
  const entry = registry.find((one) => one.table === table);
  if (entry === undefined) throw new Error(`${table.name} is a command of nobody`);
  const unattended = entry.table.unattended === true ? { nonInteractive: true } : {};
  const options = { ...(parsed.args as GlobalOptions), ...unattended };
  if (options.field !== undefined && table.noJson === true) {
    throw usageWrong(
      `--field takes a value of a --json result, and postern ${table.name} has none.`,
      'postern help json',
    );
  }
  const command = await entry.load();
  const context = makeContext({ ...options, json: options.json || options.field !== undefined }, entry.table);
  try {
    return await command.run(context, parsed.args as ArgumentsOf<CommandTable>);
  } catch (error) {
    const named = withServerNamed(withLineMeant(await withWays(error, table), argv, table), parsed.args);
    throw closer(withWaysOfJobs(named, table, parsed.args, env), table, parsed.args);
  }
}

/** Commands that ask a server, and fail by what that, or its authorization server, does. */
const asking: ReadonlySet<string> = new Set(['login', 'call', 'shell', 'request', 'bridge', 'proxy']);

/** Names the command that says more, where the command line names a server. */
function closer(error: unknown, { name }: CommandTable, { server }: LooseArguments): unknown {
  const isNamed = error instanceof Failure && asking.has(name) && typeof server === 'string';
  return isNamed ? withDoctor(error, server) : error;
}

/** The command itself, where `--help` asks for what it alone can explain, such as a tool of a server. */
async function ownHelp(
  argv: readonly string[],
  entry: CommandEntry | undefined,
  readLine: (words: readonly string[]) => Promise<ParsedLine>,
): Promise<ParsedLine | undefined> {
  if (entry?.explains === undefined || !asks(argv, '--help', '-h')) return undefined;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const parsed = await readLine(argv.filter((word, at) => at > end || !/^(?:--help|-h)$/.test(word))).catch(
    ignoreFailure,
  );
  const isOwn = parsed?.kind === 'command' && (await entry.explains(parsed.args)) === true;
  return isOwn ? { ...parsed, args: { ...parsed.args, help: true } } : undefined;
}

/** Nothing was given: `postern` alone. */
const noOptions: GlobalOptions = {
  json: false,
  field: undefined,
  quiet: false,
  verbose: false,
  nonInteractive: false,
  noColor: false,
  help: false,
  version: false,
};
