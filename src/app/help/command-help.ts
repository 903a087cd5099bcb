import type { CommandGroup, CommandTable, OptionSpec, PositionalSpec } from '../../core/command.js';
import { cutTo } from '../../core/text/layout.js';
import type { Look } from '../../core/text/look.js';
import { globalOptions } from '../global-options.js';
import { type Block, paragraphs, type Row, section } from './blocks.js';
import { linesOf, usageLines } from './screen.js';
import { topicNames } from './topics.js';

/** As many examples as one screen has room for. */
const maxExamples = 4;

/** One screen about a command. The rest is in topics, and on the manual's page. */
export function commandHelp(look: Look, table: CommandTable): readonly string[] {
  const topics = rareOptions(table);
  const column = Math.max(0, ...topics.map(([topic]) => topic.length));
  const room = look.width - column - 4;
  const more = topics.map(([topic, specs]): Row => {
    const names = specs.map(({ name }) => `--${name}`).join(', ');
    return [topic, cutTo(room < 24 ? look.width - 6 : room, names)];
  });
  const others = (table.seeAlso ?? []).filter((one) => topics.every(([topic]) => topic !== one));
  const blocks = [
    ...commandBlocks(table, maxExamples, section('More options, by topic of postern help', 'terms', more)),
    ...paragraphs(others.length === 0 ? [] : [`See also: ${others.map((one) => `postern help ${one}`).join(', ')}`]),
    ...paragraphs(['Global options, such as --json, --quiet and --verbose: postern --help']),
  ];
  return [...usageLines(look, `postern ${usageOf(table)}`), '', ...linesOf(look, blocks)];
}

/** All that the table says, for the manual. */
export function commandPage(table: CommandTable): readonly Block[] {
  const rare = rareOptions(table).flatMap(([topic, specs]) =>
    section(`Options of postern-${topic}(7)`, 'terms', optionRows(specs)),
  );
  return commandBlocks(table, Number.POSITIVE_INFINITY, rare);
}

function commandBlocks(table: CommandTable, examplesShown: number, rare: readonly Block[]): readonly Block[] {
  const { summary, aliases = [], examples: all = [], positionals, rest, options, terms, notes = [] } = table;
  const rows = all.map(({ command, describe }): Row => [command, describe]);
  const words = positionals.map(({ name, describe }): Row => [name, describe]);
  const behind: readonly Row[] = rest === undefined ? [] : [[`-- ${rest.name}`, rest.describe]];
  const usual = options.filter(({ topic }) => topic === undefined);
  return [
    ...paragraphs([`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`]),
    ...paragraphs(aliases.length === 0 ? [] : [`Also: ${aliases.map((one) => `postern ${one}`).join(', ')}`]),
    ...section('Examples', 'examples', rows.slice(0, examplesShown)),
    ...section('Arguments', 'terms', [...words, ...behind]),
    ...grouped(usual, 'group').flatMap(([title, specs]) => section(title || 'Options', 'terms', optionRows(specs))),
    ...rare,
    ...(terms === undefined ? [] : section(terms.title, 'terms', terms.rows)),
    ...paragraphs(notes),
  ];
}

function rareOptions({ options }: CommandTable) {
  return grouped(options, 'topic').filter(([topic]) => topic !== '');
}

/** `login [server] [options]`. */
export function usageOf({ name, positionals, options, rest }: CommandTable): string {
  return [
    name,
    ...positionals.map(wordIn),
    ...(options.length === 0 ? [] : ['[options]']),
    ...(rest === undefined ? [] : [`-- <${rest.name}..>`]),
  ].join(' ');
}

function wordIn({ name, required, many }: PositionalSpec): string {
  const word = many === true ? `${name}..` : name;
  return required ? `<${word}>` : `[${word}]`;
}

/** The options by a member of theirs; first those without. */
function grouped(options: readonly OptionSpec[], by: 'group' | 'topic'): readonly [string, readonly OptionSpec[]][] {
  const titles = new Set(['', ...options.map((spec) => spec[by] ?? '')]);
  return [...titles].map((title) => [title, options.filter((spec) => (spec[by] ?? '') === title)]);
}

/** Options as they are typed, with what each does, its values, and what holds without it. */
function optionRows(options: readonly OptionSpec[]): readonly Row[] {
  const hasLetters = options.some(({ alias }) => alias !== undefined);
  return options.map((spec) => {
    const letter = spec.alias === undefined ? (hasLetters ? '    ' : '') : `-${spec.alias}, `;
    const value = spec.kind === 'boolean' ? '' : ` ${spec.value ?? (spec.kind === 'number' ? 'N' : 'VALUE')}`;
    return [`${letter}--${spec.name}${value}`, optionText(spec)];
  });
}

function optionText(spec: OptionSpec): string {
  const fallback = 'default' in spec && spec.default !== undefined ? String(spec.default) : spec.fallback;
  const choices = 'choices' in spec && (spec.choices?.length ?? 0) > 1 ? [`one of ${spec.choices?.join(', ')}`] : [];
  const remarks = [
    ...choices,
    ...(spec.kind === 'number' ? [`${spec.min} to ${spec.max}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(spec.env === undefined ? [] : [`or ${spec.env}`]),
  ];
  return `${spec.describe}${remarks.length === 0 ? '' : ` (${remarks.join('; ')})`}`;
}

/** The groups of `postern --help`, in order. */
const groups: readonly (readonly [group: CommandGroup, title: string])[] = [
  ['log-in', 'Log in'],
  ['use', 'Use'],
  ['programs', 'For other programs'],
  ['more', 'More'],
];

export const product = 'Log in once to a protected server (MCP), from a terminal, and use that login everywhere.';

const examples: readonly Row[] = [
  ['postern login https://example.com/mcp --name work', 'log in, in the browser'],
  ['postern call work', 'list its tools'],
  ['postern setup claude work --write', 'let another program use it'],
];

/** What `postern --help` and the manual's first page show below the usage. */
export function overview(tables: readonly CommandTable[]): readonly Block[] {
  const width = Math.max(...tables.map(({ name }) => name.length));
  const rowsOf = (wanted: CommandGroup) =>
    tables
      .filter(({ group = 'more' }) => group === wanted)
      .map(({ name, aliases = [], summary }): Row => {
        const others = aliases.length === 0 ? '' : ` (also ${aliases.join(', ')})`;
        return [name.padEnd(width), `${summary}${others}`];
      });
  return [
    ...paragraphs([product]),
    ...section('Examples', 'examples', examples),
    ...groups.flatMap(([group, title]) => section(title, 'terms', rowsOf(group))),
    ...section('Global options', 'terms', optionRows(globalOptions)),
    ...paragraphs([`Topics: ${topicNames.join(', ')}`, 'More on each: `postern help <command or topic>`']),
  ];
}
