import type { ArgumentsOf, CommandExit, CommandTable } from '../core/command.js';
import type { ResultWriter } from '../core/output.js';
import { closest } from '../core/text/closest.js';
import { quoted } from '../core/text/printable.js';
import { usageMistyped, usageWrong } from '../core/usage-failures.js';
import { checkArguments } from './check-arguments.js';
import type { Context } from './context.js';
import { asks, type GlobalOptions } from './global-options.js';
import { commandHelp, helpTable, overview, versionTable } from './help.js';
import { parseArguments } from './parse-arguments.js';
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
 * Runs one command line, the program's name left out. The first word that is no option is the command.
 * @throws Failure `usage_wrong`, or the command's own
 */
export async function runCommandLine(argv: readonly string[], line: CommandLine): Promise<CommandExit> {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  const name = argv[at];
  const rest = name === undefined ? argv : argv.toSpliced(at, 1);
  if (name === undefined) {
    return withoutCommand(rest, line);
  }
  if (name === helpTable.name) {
    return help(rest, line);
  }
  if (name === versionTable.name) {
    checkArguments(versionTable, await parseArguments(versionTable, rest), line.env);
    return showVersion(line);
  }
  const entry = entryOf(name, line.registry);
  if (asks(rest, '--help', '-h')) {
    return showHelp(entry, line);
  }
  if (asks(rest, '--version')) {
    return showVersion(line);
  }
  const args = checkArguments(entry.table, await parseArguments(entry.table, rest), line.env);
  const unattended = entry.table.unattended === true ? { nonInteractive: true } : {};
  const options = { ...(args as GlobalOptions), ...unattended };
  const command = await entry.load();
  return command.run(line.makeContext(options), args as ArgumentsOf<CommandTable>);
}

async function withoutCommand(argv: readonly string[], line: CommandLine): Promise<CommandExit> {
  if (asks(argv, '--version')) {
    return showVersion(line);
  }
  const bare: CommandTable = { ...helpTable, positionals: [] };
  checkArguments(bare, await parseArguments(bare, argv), line.env);
  return showOverview(line);
}

async function help(argv: readonly string[], line: CommandLine): Promise<CommandExit> {
  const { words } = await parseArguments(helpTable, argv);
  const [name] = words;
  return name === undefined ? showOverview(line) : showHelp(entryOf(name, line.registry), line);
}

function entryOf(name: string, registry: readonly CommandEntry[]): CommandEntry {
  const entry = registry.find(({ table }) => table.name === name);
  if (entry !== undefined) {
    return entry;
  }
  const names = [...registry.map(({ table }) => table.name), helpTable.name, versionTable.name];
  const meant = closest(name, names);
  const message = `There is no command ${quoted(name, 80)}.`;
  throw meant === undefined
    ? usageWrong(message, 'postern --help')
    : usageMistyped(message, `postern ${meant}`);
}

async function showOverview({ out, registry }: CommandLine): Promise<CommandExit> {
  await out.write(overview([...registry.map(({ table }) => table), helpTable, versionTable]));
  return 0;
}

async function showHelp(entry: CommandEntry, { out }: CommandLine): Promise<CommandExit> {
  await out.write(commandHelp(entry.table, (await entry.moreHelp?.()) ?? []));
  return 0;
}

async function showVersion({ out, version }: CommandLine): Promise<CommandExit> {
  await out.line(version);
  return 0;
}
