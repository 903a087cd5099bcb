import {
  type ArgumentsOf,
  type CommandExit,
  type CommandTable,
  isCommandName,
  type ResultWriter,
} from '../core/command.js';
import { ignoreFailure } from '../core/failure.js';
import { usageWrong } from '../core/failures.js';
import type { Look } from '../core/text/look.js';
import { typedArguments } from './arguments.js';
import { type ParsedLine, parseCommandLine } from './command-line.js';
import type { Context } from './context.js';
import type { FailedLine } from './explain.js';
import { asks, commandAt, type GlobalOptions } from './global-options.js';
import { helpTable, ownTables } from './help/own-tables.js';
import type { CommandEntry } from './registry.js';

/** What running a command line needs. */
export interface CommandLine {
  readonly registry: readonly CommandEntry[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: ResultWriter;
  readonly look: Look;
  readonly makeContext: (options: GlobalOptions, table: CommandTable) => Context;
  /** Prints what ended the run of a line. */
  readonly fail: (error: unknown, line: FailedLine) => Promise<CommandExit>;
}

/** Runs one command line, the program's name left out. */
export async function runCommandLine(argv: readonly string[], line: CommandLine): Promise<CommandExit> {
  const { registry, version, env, out, look, makeContext, fail } = line;
  const tables = registry.map(({ table }) => table);
  const loginNames = async () => {
    const document = await makeContext(noOptions, helpTable).index.read().catch(ignoreFailure);
    return (document?.logins ?? []).flatMap(({ name }) => name ?? []);
  };
  const readLine = (words: readonly string[]) => parseCommandLine(words, { tables, version, env, loginNames });
  const named = argv[commandAt(argv, [...tables, ...ownTables])];
  const typed = registry.find((one) => isCommandName(one.table, named));
  const known = () => makeContext(noOptions, helpTable);
  let read: FailedLine = { argv, table: typed?.table, args: {}, known };
  try {
    const parsed = (await ownHelp(argv, typed, readLine)) ?? (await readLine(argv));
    if (parsed.kind !== 'command') {
      const isAlone = parsed.kind === 'help' && argv.every((word) => word === '--no-color');
      const { explain, greet } = await import('./help/help.js');
      await out.write(isAlone ? await greet(look, known) : await explain(look, parsed, tables));
      return 0;
    }
    read = { argv, table: parsed.table, args: parsed.args, known };
    return await runCommand(parsed, line);
  } catch (error) {
    return await fail(error, read);
  }
}

type ReadCommand = Extract<ParsedLine, { readonly kind: 'command' }>;

async function runCommand({ table, args }: ReadCommand, { registry, makeContext }: CommandLine): Promise<CommandExit> {
  const entry = registry.find((one) => one.table === table);
  if (entry === undefined) throw new Error(`${table.name} is a command of nobody`);
  const unattended = table.unattended === true ? { nonInteractive: true } : {};
  const options = { ...(args as GlobalOptions), ...unattended };
  if (options.field !== undefined && table.noJson === true) {
    throw usageWrong(
      `--field takes a value of a --json result, and postern ${table.name} has none.`,
      'postern help json',
    );
  }
  const command = await entry.load();
  const context = makeContext({ ...options, json: options.json || options.field !== undefined }, table);
  return await command.run(context, args as ArgumentsOf<CommandTable>);
}

/** `--help` that only the command can answer, such as that of a server's tool. */
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

/** `postern` alone. */
const noOptions = typedArguments(helpTable, () => [], {}) as unknown as GlobalOptions;
