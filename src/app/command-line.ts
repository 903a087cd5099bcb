import type { Argv } from 'yargs';
import { type CommandTable, camelCase, type LooseArguments, type OptionSpec } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import { optionsOf, typedArguments } from './arguments.js';
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

const versionTable: CommandTable = {
  name: 'version',
  summary: 'show the version',
  positionals: [],
  options: [],
};

/**
 * Parses a command line, the program's name left out. Whatever asks for help gets it, however wrong the rest is.
 * @throws Failure `usage_wrong`
 */
export async function parseCommandLine(
  argv: readonly string[],
  options: CommandLineOptions,
): Promise<ParsedLine> {
  const { tables, version, env } = options;
  const all = [...tables, helpTable, versionTable];
  const name = argv.find((word) => !word.startsWith('-'));
  const table = all.find((one) => one.name === name);
  const end = table?.rest === undefined ? -1 : argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const isCompletion = argv[0] === '--get-yargs-completions';
  if (!isCompletion && !asks(words, '--help', '-h')) refuseOdd(words, table);
  let found: { readonly table: CommandTable; readonly given: Readonly<Record<string, unknown>> } | undefined;
  let text = '';
  const { default: yargs } = await import('yargs');
  const parser = yargs()
    .scriptName('postern')
    .parserConfiguration(habits)
    .locale('en')
    .wrap(width)
    .usage('Usage: postern <command> [options]')
    .usage('\nLog in once to a protected protocol (MCP) server, and use that login everywhere.')
    .options(Object.fromEntries(globalOptions.filter(({ name }) => !isOwn(name)).map(yargsOption)))
    .help('help', describeOf('help'))
    .alias('help', 'h')
    .version('version', describeOf('version'), version)
    .strict()
    .recommendCommands()
    .exitProcess(false)
    .showHelpOnFail(false)
    .epilogue(exitCodes)
    .fail((message, error) => {
      if (message === null || message === undefined) throw error;
      throw failureOf(message.replaceAll('\0', ''), words, table, name);
    });
  for (const one of all) {
    parser.command({
      command: [one.name, ...one.positionals.map(wordIn)].join(' '),
      describe: one.hidden === true ? false : one.summary,
      builder: (command: Argv) => withTable(command, one),
      handler: (given) => {
        found = { table: one, given };
      },
    });
  }
  parser.command({
    command: 'completion',
    describe: 'print what makes bash, zsh or fish complete this program’s words',
    handler: () => {
      parser.showCompletionScript();
    },
  });
  if (table === undefined || table === helpTable) parser.group(everywhere, everyCommand);
  await parser.parseAsync(isCompletion ? argv : escaped(words, table), {}, (_error, _given, output) => {
    text = output;
  });
  if (text === '' && found === undefined) text = await parser.getHelp();
  if (found === undefined) return { kind: 'text', text: `${text}\n`, of: table };
  if (found.table === versionTable) return { kind: 'text', text: `${version}\n`, of: undefined };
  const { given } = found;
  const values = (key: string) =>
    [given[key] ?? []].flat().map((value) => (typeof value === 'string' ? unescaped(value) : value === true));
  const [topic] = values('command');
  if (found.table === helpTable) {
    const isKnown = all.some((one) => one.name === topic);
    return parseCommandLine(
      [
        ...(topic === undefined ? [] : [String(topic)]),
        ...(isKnown || topic === undefined ? ['--help'] : []),
      ],
      options,
    );
  }
  const args = typedArguments(found.table, values, env);
  const { rest } = found.table;
  const behind = end === -1 ? [] : argv.slice(end + 1);
  return {
    kind: 'command',
    table: found.table,
    args: rest === undefined ? args : { ...args, [camelCase(rest.name)]: behind },
  };
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
function withTable(
  command: Argv,
  { name, summary, positionals, rest, options, examples, notes }: CommandTable,
): Argv {
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
