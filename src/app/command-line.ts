import type { Argv } from 'yargs';
import { type CommandTable, camelCase, isCommandName, type LooseArguments, type OptionSpec } from '../core/command.js';
import type { Failure } from '../core/failure.js';
import { optionsOf, typedArguments } from './arguments.js';
import { completionScript } from './completion/scripts.js';
import { completionTable } from './completion/table.js';
import { globalOptions } from './global-options.js';
import { wordIn } from './help/command-help.js';
import type { Asked } from './help/help.js';
import { helpTable, ownTables, versionTable } from './help/own-tables.js';
import { plainArguments } from './hot-path/plain-arguments.js';
import { failureOf, refuseOdd, unknownCommand } from './wrong-command-line.js';

/** What a command line comes to: a command to run, or a text to print. */
export type ParsedLine =
  | { readonly kind: 'command'; readonly table: CommandTable; readonly args: LooseArguments }
  | Asked;

export interface CommandLineOptions {
  readonly tables: readonly CommandTable[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of logins: one that stands where a command should is no slip of the finger. */
  readonly loginNames?: () => Promise<readonly string[]>;
}

/** What of yargs' habits is not ours: it guesses numbers, negations and dots where a word is meant. */
const habits = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'boolean-negation': false,
  'strip-aliased': true,
} as const;

/** What yargs found a command to be given, by the names of its options and words. */
interface Found {
  readonly table: CommandTable;
  readonly given: Readonly<Record<string, unknown>>;
}

/**
 * Parses a command line, the program's name left out. Whatever asks for help gets it, however wrong the rest is.
 * @throws Failure `usage_wrong`
 */
export async function parseCommandLine(argv: readonly string[], options: CommandLineOptions): Promise<ParsedLine> {
  const { tables, version, env } = options;
  const named = argv.findIndex((word) => !word.startsWith('-'));
  const table = [...tables, ...ownTables].find((one) => isCommandName(one, argv[named]));
  const end = table?.rest === undefined ? -1 : argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const help: ParsedLine = { kind: 'help', of: table === helpTable ? undefined : table };
  const shown: ParsedLine = { kind: 'text', text: `${version}\n` };
  if (argv.length === 0 || words.some((word) => /^(?:--help|-[hqv]*h[hqv]*)$/.test(word))) return help;
  if (words.includes('--version')) return shown;
  const plain = isHot(table) ? plainArguments(table, words.toSpliced(named, 1), env) : undefined;
  if (plain !== undefined && table !== undefined) return { kind: 'command', table, args: plain };
  refuseOdd(words, table);
  const command = argv[named];
  if (table === undefined && command !== undefined) {
    throw unknownCommand(command, [...tables, ...ownTables], (await options.loginNames?.()) ?? []);
  }
  const parser = await createParser((message) => failureOf(message, words, table));
  let found: Found | undefined;
  const take = (one: Found) => {
    found = one;
  };
  // One that is known stands alone: yargs lays out its help whenever it runs one of several.
  const isAlone = table !== undefined;
  if (isAlone) addCommand(parser, table, '$0', take);
  else for (const one of [...tables, ...ownTables]) addCommand(parser, one, one.name, take);
  // With a callback yargs prints nothing itself.
  await parser.parseAsync(escaped(isAlone ? words.toSpliced(named, 1) : words, table), {}, () => undefined);
  if (found === undefined) return help;
  const values = valuesIn(found);
  if (values('help').includes(true)) return help;
  if (found.table === versionTable || values('version').includes(true)) return shown;
  if (found.table === completionTable) {
    return { kind: 'text', text: completionScript(values('shell').map(String)[0], env) };
  }
  if (found.table === helpTable) {
    return explained(values('topic').map(String)[0], tables);
  }
  const args = typedArguments(found.table, values, env);
  const { rest } = found.table;
  const behind = rest === undefined ? {} : { [camelCase(rest.name)]: end === -1 ? [] : argv.slice(end + 1) };
  return { kind: 'command', table: found.table, args: { ...args, ...behind } };
}

/**
 * What scripts call again and again: whatever the hot path's parser can parse of it, it parses here, too, since yargs takes
 * 10 ms, a tenth of a request.
 */
function isHot(table: CommandTable | undefined): table is CommandTable {
  return table !== undefined && ['token', 'credential', 'request'].includes(table.name);
}

/** What `postern help` is to explain: a command, a topic, or without a word all. */
function explained(name: string | undefined, tables: readonly CommandTable[]): ParsedLine {
  const of = [...tables, ...ownTables].find((one) => isCommandName(one, name));
  return name === undefined || of !== undefined ? { kind: 'help', of, isWhole: true } : { kind: 'topic', name };
}

async function createParser(failure: (message: string) => Failure): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  return yargs()
    .scriptName('postern')
    .parserConfiguration(habits)
    .locale('en')
    .help(false)
    .version(false)
    .options(Object.fromEntries(globalOptions.map(yargsOption)))
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      if (message === null || message === undefined) throw error;
      throw failure(message.replaceAll(mark, ''));
    });
}

/** @param name `$0` where it is the only one. */
function addCommand(parser: Argv, table: CommandTable, name: string, take: (found: Found) => void): void {
  parser.command({
    command: [name, ...table.positionals.map(wordIn)].join(' '),
    describe: name === '$0' ? false : table.summary,
    aliases: name === '$0' ? [] : [...(table.aliases ?? [])],
    builder: (command: Argv) => withTable(command, table),
    handler: (given) => take({ table, given }),
  });
}

function valuesIn({ given }: Found): (name: string) => readonly (string | boolean)[] {
  return (name) =>
    [given[name] ?? []].flat().map((value) => (typeof value === 'string' ? unescaped(value) : value === true));
}

/** One command's own words and options. Its help is ours (help/): yargs knows neither groups nor widths nor colours. */
function withTable(command: Argv, { positionals, options }: CommandTable): Argv {
  for (const one of positionals) command.positional(one.name, { type: 'string' });
  return command.options(Object.fromEntries(options.map(yargsOption)));
}

function yargsOption(spec: OptionSpec): [string, object] {
  return [
    spec.name,
    {
      ...(spec.alias === undefined ? {} : { alias: spec.alias }),
      ...(spec.kind === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
      ...('choices' in spec ? { choices: spec.choices } : {}),
      ...(spec.excludes === undefined ? {} : { conflicts: [...spec.excludes] }),
    },
  ];
}

/** Put before what yargs would take for an option, for nothing, for its `help` or for itself (`$0`); no argument can hold a NUL. */
const mark = '\0';

/** `-XPOST` is `--request=POST`: yargs would take P, O, S and T for options. */
function escaped(words: readonly string[], table: CommandTable | undefined): readonly string[] {
  const end = words.indexOf('--');
  return words.flatMap((word, at) => {
    const isBehind = end !== -1 && at > end;
    const isTopic = word === 'help' && table !== undefined && words.indexOf(table.name) !== at;
    if (at === end) return [];
    if (word === '-' || word === '$0' || isTopic || (isBehind && word.startsWith('-'))) return `${mark}${word}`;
    const [, letter, value] = /^-([A-Za-z])([^=].*)$/s.exec(word) ?? [];
    const spec = optionsOf(table).find(({ alias, kind }) => alias === letter && kind !== 'boolean');
    return letter === undefined || isBehind || spec === undefined ? word : `--${spec.name}=${value}`;
  });
}

function unescaped(word: string): string {
  return word.startsWith(mark) ? word.slice(mark.length) : word;
}
