import { type CommandTable, camelCase, isCommandName, type LooseArguments, type OptionSpec } from '../core/command.js';
import { plainArguments, typedArguments } from './arguments.js';
import { completionScript } from './completion/scripts.js';
import { commandAt, optionsOf } from './global-options.js';
import type { Asked } from './help/help.js';
import { completionTable, helpTable, ownTables, versionTable } from './help/own-tables.js';
import { refuseOdd, unknownCommand, whyRefused } from './wrong-command-line.js';

/** What a command line comes to: a command to run, or a text to print. */
export type ParsedLine =
  | { readonly kind: 'command'; readonly table: CommandTable; readonly args: LooseArguments }
  | Asked;

export interface CommandLineOptions {
  readonly tables: readonly CommandTable[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of logins: such a word in place of a command is no typo. */
  readonly loginNames?: () => Promise<readonly string[]>;
}

/**
 * Parses a command line, the program's name left out. A line that asks for help gets it, even if the rest is wrong.
 * @throws Failure `usage_wrong`
 */
export async function parseCommandLine(argv: readonly string[], options: CommandLineOptions): Promise<ParsedLine> {
  const { version, env } = options;
  const tables = [...options.tables, ...ownTables];
  const at = commandAt(argv, tables);
  const table = tables.find((one) => isCommandName(one, argv[at]));
  const end = table?.rest === undefined ? -1 : argv.indexOf('--');
  const words = argv.toSpliced(end === -1 ? argv.length : end).toSpliced(at, at === -1 ? 0 : 1);
  if (table === helpTable) return explained(words, tables);
  if (argv.length === 0 || words.some((word) => /^(?:--help|-[hqv]*h[hqv]*)$/.test(word))) {
    return { kind: 'help', of: table };
  }
  const shown: ParsedLine = { kind: 'text', text: `${version}\n` };
  if (words.includes('--version')) return shown;
  if (table !== undefined && options.tables.includes(table) && end === -1) {
    const args = plainArguments(table, words, env); // yargs takes twice as long to load as Node.js itself
    if (args !== undefined) return { kind: 'command', table, args };
  }
  refuseOdd(words, table);
  if (table === undefined) {
    const wrong = unknownCommand(argv, tables, at === -1 ? [] : ((await options.loginNames?.()) ?? []));
    if (wrong === undefined) return { kind: 'help', of: undefined };
    throw wrong;
  }
  const { values, typed, isRight } = await readWords(words, table);
  if (!isRight) throw whyRefused(words, table, { values, typed });
  if (table === versionTable) return shown;
  const args = typedArguments(table, values, env);
  if (table === completionTable) return { kind: 'text', text: completionScript(typed[0], env) };
  const rest = table.rest && { [camelCase(table.rest.name)]: end === -1 ? [] : argv.slice(end + 1) };
  return { kind: 'command', table, args: { ...args, ...rest } };
}

/** `postern help NAME`: a command or a topic; without a name, all of them. */
function explained(words: readonly string[], tables: readonly CommandTable[]): ParsedLine {
  const name = words.find((word) => !word.startsWith('-'));
  const of = tables.find((one) => isCommandName(one, name));
  return name === undefined || of !== undefined ? { kind: 'help', of } : { kind: 'topic', name };
}

/** yargs would guess numbers, negations and paths; values here are taken as typed. */
const habits = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'boolean-negation': false,
  'strip-aliased': true,
} as const;

/** What yargs reads: positional words, values by name, and whether the command accepts this line. */
async function readWords(words: readonly string[], table: CommandTable) {
  const { default: yargs } = await import('yargs');
  const { positionals } = table;
  const isMany = positionals.at(-1)?.many === true;
  let isRight = true;
  const read: Readonly<Record<string, unknown>> = await yargs()
    .parserConfiguration(habits)
    .locale('en')
    .help(false)
    .version(false)
    .options(Object.fromEntries(optionsOf(table).map(yargsOption)))
    .strictOptions()
    .demandCommand(positionals.filter(({ required }) => required).length, isMany ? Infinity : positionals.length)
    .fail(() => {
      isRight = false;
    })
    .parseAsync(apart(words, table));
  const typed = [read['_'] ?? []].flat().map(String);
  const values = (name: string): readonly (string | boolean)[] => {
    const nth = positionals.findIndex((one) => one.name === name);
    if (nth !== -1) return typed.slice(nth, positionals[nth]?.many === true ? undefined : nth + 1);
    return [read[name] ?? []].flat().map((value) => (typeof value === 'string' ? value : value === true));
  };
  return { values, typed, isRight };
}

function yargsOption(spec: OptionSpec): [string, object] {
  return [
    spec.name,
    {
      ...(spec.alias === undefined ? {} : { alias: spec.alias }),
      ...(spec.kind === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
      ...(spec.excludes === undefined ? {} : { conflicts: [...spec.excludes] }),
      ...(spec.needs === undefined ? {} : { implies: [...spec.needs] }),
    },
  ];
}

/** `-XPOST`, as curl takes it, is `--request=POST`: yargs would read four switches. */
function apart(words: readonly string[], table: CommandTable): readonly string[] {
  const end = words.indexOf('--');
  return words.map((word, at) => {
    const [, letter, value] = /^-([A-Za-z])([^=].*)$/s.exec(end === -1 || at < end ? word : '') ?? [];
    const spec = optionsOf(table).find(({ alias, kind }) => alias === letter && kind !== 'boolean');
    return letter === undefined || spec === undefined ? word : `--${spec.name}=${value}`;
  });
}
