import type { CommandTable, OptionSpec } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import { globalOptions } from './global-options.js';

const width = 80;

/** Where the explanations begin, beside options and beside other words. */
const columns = { option: 26, word: 14 } as const;

/** `postern --help`: every command in a line. */
export function overview(tables: readonly CommandTable[]): string {
  const shown = tables.filter(({ hidden }) => hidden !== true);
  return lines([
    'Usage: postern <command> [options]',
    '',
    'Log in once to a protected protocol (MCP) server, and use that login everywhere.',
    '',
    'Commands:',
    ...shown.flatMap(({ name, summary }) => row(name, summary)),
    '',
    'Options of every command:',
    ...globalOptions.flatMap(optionRow),
    '',
    'Exit codes:',
    ...Object.entries(exitCodes).flatMap(([code, meaning]) => row(code, meaning)),
    '',
    'More on a command: postern help <command>',
  ]);
}

/** `postern <command> --help`. @param more Further lines that only the command itself knows. */
export function commandHelp(table: CommandTable, more: readonly string[]): string {
  const { name, summary, positionals, rest, examples = [], notes = [] } = table;
  const options: readonly OptionSpec[] = table.options;
  const words = positionals.map((one) => {
    const word = `${one.name}${one.many === true ? '…' : ''}`;
    return one.required ? ` <${word}>` : ` [${word}]`;
  });
  return lines([
    `Usage: postern ${name}${words.join('')}${options.length === 0 ? '' : ' [options]'}${rest === undefined ? '' : ` -- <${rest.name}…>`}`,
    '',
    ...wrap(`${sentence(summary)}`, width),
    ...section(
      'Words:',
      [...positionals, ...(rest === undefined ? [] : [rest])].flatMap((one) => row(one.name, one.describe)),
    ),
    ...section('Options:', options.flatMap(optionRow)),
    ...section('Options of every command:', globalOptions.flatMap(optionRow)),
    ...section(
      'Examples:',
      examples.flatMap((example) => [`  # ${example.describe}`, `  ${example.command}`]),
    ),
    ...notes.flatMap((note) => ['', ...wrap(note, width)]),
    ...(more.length === 0 ? [] : ['', ...more]),
  ]);
}

const exitCodes: Readonly<Record<number, string>> = {
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
};

function optionRow(spec: OptionSpec): readonly string[] {
  const short = spec.alias === undefined ? '    ' : `-${spec.alias}, `;
  const value = spec.kind === 'boolean' ? '' : ` ${spec.value ?? 'VALUE'}`;
  return row(`${short}--${spec.name}${value}`, `${spec.describe}${remarks(spec)}`, columns.option);
}

/** Choices, limits, default and environment variable, in parentheses. */
function remarks(spec: OptionSpec): string {
  const fallback = 'default' in spec && spec.default !== undefined ? String(spec.default) : spec.fallback;
  const parts = [
    ...('choices' in spec && spec.choices !== undefined ? [spec.choices.join(', ')] : []),
    ...(spec.kind === 'number' ? [`${spec.min} to ${spec.max}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(spec.env === undefined ? [] : [`or ${spec.env}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

function row(head: string, text: string, column: number = columns.word): readonly string[] {
  const [first = '', ...rest] = wrap(text, width - column);
  const indent = ' '.repeat(column);
  const left = `  ${head}`;
  const opening = left.length + 1 < column ? [left.padEnd(column) + first] : [left, indent + first];
  return [...opening, ...rest.map((line) => indent + line)];
}

function section(title: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...rows];
}

function wrap(text: string, most: number): readonly string[] {
  const wrapped: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > most) {
      wrapped.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...wrapped, line];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

export const helpTable = {
  name: 'help',
  summary: 'show all commands, or one of them',
  positionals: [{ name: 'command', describe: 'the command to explain', required: false }],
  options: [],
} as const satisfies CommandTable;

export const versionTable = {
  name: 'version',
  summary: 'show the version',
  positionals: [],
  options: [],
} as const satisfies CommandTable;
