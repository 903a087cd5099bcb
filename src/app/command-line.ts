import type { Argv } from 'yargs';
import { type CommandTable, camelCase, type LooseArguments, type OptionSpec } from '../core/command.js';
import { exitCode, type Failure } from '../core/failure.js';
import { optionsOf, typedArguments } from './arguments.js';
import { completionScript, completionTable } from './completion.js';
import { asks, globalOptions } from './global-options.js';
import { failureOf, refuseOdd } from './wrong-command-line.js';

/** What a command line comes to: a command to run, or a text to print. */
export type ParsedLine =
  | { readonly kind: 'command'; readonly table: CommandTable; readonly args: LooseArguments }
  /** Help, the version, or what a shell completes by; `of` is the command whose help it is. */
  | { readonly kind: 'text'; readonly text: string; readonly of: CommandTable | undefined };

export interface CommandLineOptions {
  readonly tables: readonly CommandTable[];
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
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

const width = 80;

const everywhere = globalOptions.map(({ name }) => name);

const everyCommand = 'Options of every command:';

const helpTable: CommandTable = {
  name: 'help',
  summary: 'show all commands, or one of them',
  positionals: [{ name: 'command', describe: 'the command to explain', required: false }],
  options: [],
};

const versionTable: CommandTable = { name: 'version', summary: 'show the version', positionals: [], options: [] };

const ownTables = [helpTable, versionTable, completionTable];

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
  const table = [...tables, ...ownTables].find((one) => one.name === argv[named]);
  const end = table?.rest === undefined ? -1 : argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const isCompletion = argv[0] === '--get-yargs-completions';
  if (!isCompletion && !asks(words, '--help', '-h')) refuseOdd(words, table);
  const parser = await createParser(version, (message) => failureOf(message, words, table, argv[named]));
  let found: Found | undefined;
  const take = (one: Found) => {
    found = one;
  };
  // One that is known stands alone: yargs lays out its help whenever it runs one of several.
  const isHelp = words.some((word) => word === '--help' || /^-[A-Za-z]*h/.test(word));
  const isAlone = !isCompletion && !isHelp && table !== undefined && tables.includes(table);
  if (isAlone) addCommand(parser, table, '$0', take);
  else addOverview(parser, tables, take);
  const typed = isAlone ? words.toSpliced(named, 1) : words;
  const text = await outputOf(parser, isCompletion ? typed : escaped(typed, table));
  if (found === undefined) return { kind: 'text', text: `${text || (await parser.getHelp())}\n`, of: table };
  const values = valuesIn(found);
  if (found.table === versionTable) return { kind: 'text', text: `${version}\n`, of: undefined };
  if (found.table === completionTable) {
    return { kind: 'text', text: await completionScript(values('shell').map(String)[0], env), of: undefined };
  }
  if (found.table === helpTable) {
    const topic = values('command').map(String);
    const isWrong = topic.some((name) => [...tables, ...ownTables].every((one) => one.name !== name));
    return parseCommandLine(isWrong ? topic : [...topic, '--help'], options);
  }
  const args = typedArguments(found.table, values, env);
  const { rest } = found.table;
  const behind = rest === undefined ? {} : { [camelCase(rest.name)]: end === -1 ? [] : argv.slice(end + 1) };
  return { kind: 'command', table: found.table, args: { ...args, ...behind } };
}

async function createParser(version: string, failure: (message: string) => Failure): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  return yargs()
    .scriptName('postern')
    .parserConfiguration(habits)
    .locale('en')
    .wrap(width)
    .options(Object.fromEntries(globalOptions.filter(({ name }) => !isOwn(name)).map(yargsOption)))
    .help('help', describeOf('help'))
    .alias('help', 'h')
    .version('version', describeOf('version'), version)
    .strict()
    .recommendCommands()
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
    describe: table.hidden === true || name === '$0' ? false : table.summary,
    builder: (command: Argv) => withTable(command, table),
    handler: (given) => take({ table, given }),
  });
}

function addOverview(parser: Argv, tables: readonly CommandTable[], take: (found: Found) => void): void {
  parser
    .usage('Usage: postern <command> [options]')
    .usage('\nLog in once to a protected protocol (MCP) server, and use that login everywhere.')
    .group(everywhere, everyCommand)
    .epilogue(exitCodes);
  for (const table of [...tables, ...ownTables]) addCommand(parser, table, table.name, take);
}

async function outputOf(parser: Argv, words: readonly string[]): Promise<string> {
  let text = '';
  await parser.parseAsync(words, {}, (_error, _given, output) => {
    text = output;
  });
  return text;
}

function valuesIn({ given }: Found): (name: string) => readonly (string | boolean)[] {
  return (name) =>
    [given[name] ?? []].flat().map((value) => (typeof value === 'string' ? unescaped(value) : value === true));
}

/** yargs makes these two itself. */
function isOwn(name: string): boolean {
  return name === 'help' || name === 'version';
}

function describeOf(name: 'help' | 'version'): string {
  return globalOptions.find((one) => one.name === name)?.describe ?? '';
}

function wordIn({ name, required, many }: CommandTable['positionals'][number]): string {
  const word = many === true ? `${name}..` : name;
  return required ? `<${word}>` : `[${word}]`;
}

/** One command's own words, options and texts. */
function withTable(command: Argv, { name, summary, positionals, rest, options, examples, notes }: CommandTable): Argv {
  const words = [name, ...positionals.map(wordIn)].join(' ');
  command
    .usage(
      `Usage: postern ${words}${options.length === 0 ? '' : ' [options]'}${rest === undefined ? '' : ` -- <${rest.name}..>`}`,
    )
    .usage(`\n${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .options(Object.fromEntries(options.map(yargsOption)))
    .group(
      options.map(({ name }) => name),
      'Options:',
    )
    .group(everywhere, everyCommand);
  for (const one of positionals) command.positional(one.name, { describe: one.describe, type: 'string' });
  for (const { command: line, describe } of examples ?? []) command.example(line, describe);
  const behind = rest === undefined ? [] : [`${rest.name}, behind “--”: ${rest.describe}`];
  return command.epilogue([...behind, ...(notes ?? [])].join('\n\n'));
}

function yargsOption(spec: OptionSpec): [string, object] {
  const fallback = 'default' in spec && spec.default !== undefined ? String(spec.default) : spec.fallback;
  const limits = spec.kind === 'number' ? [`${spec.min} to ${spec.max}`] : [];
  const remarks = [
    ...limits,
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(spec.env === undefined ? [] : [`or ${spec.env}`]),
  ];
  return [
    spec.name,
    {
      describe: `${spec.value === undefined ? '' : `${spec.value}: `}${spec.describe}${remarks.length === 0 ? '' : ` (${remarks.join('; ')})`}`,
      ...(spec.alias === undefined ? {} : { alias: spec.alias }),
      ...(spec.kind === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
      ...('choices' in spec ? { choices: spec.choices } : {}),
      ...(spec.excludes === undefined ? {} : { conflicts: [...spec.excludes] }),
    },
  ];
}

const exitCodes = [
  'Exit codes:',
  ...Object.entries({
    0: 'done',
    [exitCode.fault]: 'a fault of this program, or nobody takes its output',
    [exitCode.usage]: 'wrong usage or configuration',
    [exitCode.loginNeeded]: 'a login is needed, and there is nobody to ask',
    [exitCode.refused]: 'refused, by the person or the authorization server',
    [exitCode.serverBreaksRules]: 'a server breaks the rules; the rule is named',
    [exitCode.network]: 'network or time-out',
    [exitCode.store]: 'the keychain, or other store, is unavailable, locked or full',
    [exitCode.callFailed]: 'the protocol call itself failed',
    [exitCode.interrupted]: 'interrupted',
  }).map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`),
  '',
  'More on a command: postern help <command>',
].join('\n');

/** Put before what yargs would take for an option, for nothing, or for its `help`; no argument can hold a NUL. */
const mark = '\0';

/** `-XPOST` is `--request=POST`: yargs would take P, O, S and T for options. */
function escaped(words: readonly string[], table: CommandTable | undefined): readonly string[] {
  const end = words.indexOf('--');
  return words.flatMap((word, at) => {
    const isBehind = end !== -1 && at > end;
    const isTopic = word === 'help' && table !== undefined && words.indexOf(table.name) !== at;
    if (at === end) return [];
    if (word === '-' || isTopic || (isBehind && word.startsWith('-'))) return `${mark}${word}`;
    const [, letter, value] = /^-([A-Za-z])([^=].*)$/s.exec(word) ?? [];
    const spec = optionsOf(table).find(({ alias, kind }) => alias === letter && kind !== 'boolean');
    return letter === undefined || isBehind || spec === undefined ? word : `--${spec.name}=${value}`;
  });
}

function unescaped(word: string): string {
  return word.startsWith(mark) ? word.slice(mark.length) : word;
}
