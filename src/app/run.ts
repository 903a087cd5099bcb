import type { ArgumentsOf, CommandExit, CommandTable, ResultWriter } from '../core/command.js';
import { plainArguments } from './arguments.js';
import { type ParsedLine, parseCommandLine } from './command-line.js';
import type { Context } from './context.js';
import type { GlobalOptions } from './global-options.js';
import type { CommandEntry } from './registry.js';

/** What a run of the command line is given. */
export interface CommandLine {
  readonly registry: readonly CommandEntry[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: ResultWriter;
  readonly makeContext: (options: GlobalOptions) => Context;
}

/**
 * Runs one command line, the program's name left out.
 * @throws Failure `usage_wrong`, or the command's own
 */
export async function runCommandLine(argv: readonly string[], line: CommandLine): Promise<CommandExit> {
  const { registry, version, env, out, makeContext } = line;
  const tables = registry.map(({ table }) => table);
  const parsed = plainCommand(argv, tables, env) ?? (await parseCommandLine(argv, { tables, version, env }));
  const { table } = parsed.kind === 'command' ? parsed : { table: parsed.of };
  const entry = registry.find((one) => one.table === table);
  if (parsed.kind === 'text') {
    const more = parsed.text.startsWith('Usage:') ? ((await entry?.moreHelp?.()) ?? []) : [];
    await out.write([parsed.text, ...(more.length === 0 ? [] : ['', ...more, ''])].join('\n'));
    return 0;
  }
  if (entry === undefined) throw new Error(`${table?.name} is a command of nobody`);
  const unattended = entry.table.unattended === true ? { nonInteractive: true } : {};
  const command = await entry.load();
  const context = makeContext({ ...(parsed.args as GlobalOptions), ...unattended });
  return command.run(context, parsed.args as ArgumentsOf<CommandTable>);
}

/** Most command lines are plain, and yargs takes 15 ms for one. What is odd or wrong, and what asks for help, is for yargs. */
function plainCommand(
  [name, ...rest]: readonly string[],
  tables: readonly CommandTable[],
  env: CommandLine['env'],
): ParsedLine | undefined {
  const table = tables.find((one) => one.name === name);
  const args = table && plainArguments(table, rest, env);
  if (table === undefined || args === undefined) return undefined;
  const { help, version } = args as GlobalOptions;
  return help || version ? undefined : { kind: 'command', table, args };
}
