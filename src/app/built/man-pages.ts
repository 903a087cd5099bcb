import type { CommandTable, OptionSpec } from '../../core/command.js';
import { globalOptions } from '../global-options.js';
import { type Block, blocksOf } from '../help/blocks.js';
import { sentenceOf, wordIn, wordRows } from '../help/command-help.js';
import { type OptionGroup, optionGroups } from '../help/option-groups.js';
import { groups, product } from '../help/overview.js';
import { ownTables } from '../help/own-tables.js';
import { optionText } from '../help/parts.js';
import { readTopic, type Topic, topicNames } from '../help/topics.js';
import { registry } from '../registry.js';

/** One page of the manual. */
export interface ManPage {
  /** `postern-login.1`. */
  readonly file: string;
  readonly text: string;
}

/** The pages of the manual: one for the program, one for each command (section 1), and one for each topic (section 7). */
export function manPages(version: string): readonly ManPage[] {
  const tables = [...registry.map(({ table }) => table), ...ownTables].filter(({ hidden }) => hidden !== true);
  return [
    { file: 'postern.1', text: mainPage(tables, version) },
    ...tables.map((table) => ({ file: `postern-${table.name}.1`, text: commandPage(table, version) })),
    ...topicNames.map((name) => ({ file: `postern-${name}.7`, text: topicPage(readTopic(name, tables), version) })),
  ];
}

function page(name: string, part: 1 | 7, version: string, summary: string, sections: readonly Section[]): string {
  return [
    `.TH ${roff(name.toUpperCase())} ${part} "" "postern ${version}" "postern"`,
    // Neither hyphens nor blanks that are not typed: what stands there is copied.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${bold(name)} \\- ${roff(summary)}`,
    ...sections.filter(([, lines]) => lines.length > 0).flatMap(([title, lines]) => [`.SH ${title}`, ...lines]),
    '',
  ].join('\n');
}

type Section = readonly [title: string, lines: readonly string[]];

function mainPage(tables: readonly CommandTable[], version: string): string {
  const lists = groups.flatMap(([group, title]) => [
    `.SS ${title}`,
    ...tables.filter((table) => (table.group ?? 'more') === group).flatMap(commandEntry),
  ]);
  return page('postern', 1, version, 'log in once to a protected server (MCP), and use that login everywhere', [
    ['SYNOPSIS', [`${bold('postern')} ${italic('command')} [${italic('options')}]`]],
    ['DESCRIPTION', [roff(product)]],
    ['COMMANDS', lists],
    ['GLOBAL OPTIONS', globalOptions.flatMap(optionEntry)],
    [
      'TOPICS',
      topicNames
        .map((name) => readTopic(name))
        .flatMap(({ name, summary }) => term(`${bold(`postern-${name}`)}(7)`, roff(summary))),
    ],
  ]);
}

function commandEntry({ name, aliases = [], summary }: CommandTable): readonly string[] {
  const others = aliases.length === 0 ? '' : `, ${aliases.map(bold).join(', ')}`;
  return term(`${bold(`postern-${name}`)}(1)${others}`, roff(summary));
}

function commandPage(table: CommandTable, version: string): string {
  const { name, aliases = [], positionals, options, rest, examples = [], notes = [], more = [], seeAlso = [] } = table;
  const { terms = { title: '', rows: [] } } = table;
  const words = positionals.map((one) => italic(wordIn(one)));
  const behind = rest === undefined ? [] : [`${bold('--')} ${italic(`<${rest.name}..>`)}`];
  const synopsis = [
    bold(`postern ${name}`),
    ...words,
    ...(options.length === 0 ? [] : ['[\\fIoptions\\fR]']),
    ...behind,
  ];
  const also = aliases.length === 0 ? [] : ['.PP', `Also: ${aliases.map((one) => bold(`postern ${one}`)).join(', ')}`];
  const others = seeAlso.map((one) => `${bold(`postern-${one}`)}(${topicNames.includes(one) ? 7 : 1})`);
  return page(`postern-${name}`, 1, version, table.summary, [
    ['SYNOPSIS', [synopsis.join(' ')]],
    ['DESCRIPTION', [roff(sentenceOf(table)), ...also, ...[...notes, ...more].flatMap((note) => ['.PP', roff(note)])]],
    ['EXAMPLES', examples.flatMap(({ command, describe }) => term(bold(command), roff(describe)))],
    ['ARGUMENTS', wordRows(table).flatMap(([label, text]) => term(italic(label), roff(text)))],
    ['OPTIONS', optionGroups(table).flatMap(groupLines)],
    [terms.title.toUpperCase(), terms.rows.flatMap(([label, text]) => term(bold(roff(label)), roff(text)))],
    ['SEE ALSO', [[`${bold('postern')}(1)`, ...others, `${bold('postern-exit-codes')}(7)`].join(', ')]],
  ]);
}

function topicPage(topic: Topic, version: string): string {
  const blocks = blocksOf(topic.text);
  // A page begins with a section; the text of a topic may begin without a heading.
  const first = blocks[0]?.kind === 'heading' ? [] : ['.SH DESCRIPTION'];
  return page(`postern-${topic.name}`, 7, version, topic.summary, [])
    .trimEnd()
    .concat('\n', [...first, ...blocks.flatMap(blockLines), '.SH SEE ALSO', `${bold('postern')}(1)`, ''].join('\n'));
}

function blockLines(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [`.SH ${roff(block.text)}`];
    case 'paragraph':
      return ['.PP', inFonts(block.text)];
    case 'code':
      return ['.PP', '.RS 4', '.nf', ...block.lines.map((line) => bold(line)), '.fi', '.RE'];
    case 'items':
      return block.lines.flatMap((line) => ['.IP \\(bu 2', inFonts(line)]);
    case 'terms':
      return block.rows.flatMap(([name, text]) => term(bold(name), inFonts(text)));
  }
}

function groupLines({ title, options }: OptionGroup, at: number): readonly string[] {
  return [...(at === 0 ? [] : [`.SS ${roff(title)}`]), ...options.flatMap(optionEntry)];
}

function optionEntry(spec: OptionSpec): readonly string[] {
  const letter = spec.alias === undefined ? '' : `${bold(`-${spec.alias}`)}, `;
  const value = spec.kind === 'boolean' ? '' : ` ${italic(spec.value ?? (spec.kind === 'number' ? 'N' : 'VALUE'))}`;
  return term(`${letter}${bold(`--${spec.name}`)}${value}`, roff(optionText(spec)));
}

function term(label: string, text: string): readonly string[] {
  return ['.TP', label, text];
}

/** What stands between backticks is code. */
function inFonts(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? bold(part) : roff(part)))
    .join('');
}

/** What a formatter would replace: hyphens and quotes that are not those of the keyboard, accents for marks. */
const marks: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Text for a page of the manual: nothing in it is a request or an escape, it is ASCII, and what is shown can be copied. */
export function roff(text: string): string {
  const escaped = Array.from(text, escapedCharacter).join('');
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}

/** Words to be typed as they stand. */
export function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

/** What stands for a word. */
function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`;
}

function escapedCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0x7f) return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
  return marks[character] ?? character;
}
