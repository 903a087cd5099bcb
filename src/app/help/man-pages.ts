import { registry } from '../registry.js';
import { type Block, blocksOf, paragraphs } from './blocks.js';
import { commandPage, overview, usageOf } from './command-help.js';
import { ownTables } from './own-tables.js';
import { readTopic, topicNames } from './topics.js';

/** One page of the manual. */
export interface ManPage {
  /** `postern-login.1`. */
  readonly file: string;
  readonly text: string;
}

/** The manual: a page for the program, for each command (section 1) and for each topic (section 7). */
export function manPages(version: string): readonly ManPage[] {
  const tables = [...registry.map(({ table }) => table), ...ownTables];
  const page = (name: string, part: 1 | 7, summary: string, blocks: readonly Block[]): ManPage => ({
    file: `${name}.${part}`,
    text: [
      `.TH ${roff(name.toUpperCase())} ${part} "" "postern ${version}" "postern"`,
      '.nh', // nor hyphens, nor wide blanks: what is shown can be copied
      '.ad l',
      '.SH NAME',
      `${bold(name)} \\- ${roff(summary)}`,
      ...blocks.flatMap(blockLines),
      '',
    ].join('\n'),
  });
  return [
    page('postern', 1, 'log in once to a protected server (MCP), and use that login everywhere', [
      ...synopsis('<command> [options]'),
      ...overview(tables),
    ]),
    ...tables.map((table) =>
      page(`postern-${table.name}`, 1, table.summary, [
        ...synopsis(usageOf(table)),
        ...commandPage(table),
        ...seeAlso(...(table.seeAlso ?? []), 'exit-codes'),
      ]),
    ),
    ...topicNames.map((name) => {
      const { summary, text } = readTopic(name);
      return page(`postern-${name}`, 7, summary, [description, ...blocksOf(text), ...seeAlso()]);
    }),
  ];
}

const description: Block = { kind: 'heading', text: 'Description' };

function synopsis(usage: string): readonly Block[] {
  return [{ kind: 'heading', text: 'Synopsis' }, ...paragraphs([`\`postern\` ${usage}`]), description];
}

function seeAlso(...names: readonly string[]): readonly Block[] {
  const pages = names.map((one) => `, \`postern-${one}\`(${topicNames.includes(one) ? 7 : 1})`);
  return [{ kind: 'heading', text: 'See also' }, ...paragraphs([`\`postern\`(1)${pages.join('')}`])];
}

function blockLines(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [`.SH ${roff(block.text.toUpperCase())}`];
    case 'paragraph':
      return ['.PP', inFonts(block.text)];
    case 'code':
      return ['.PP', '.RS 4', '.nf', ...block.lines.map(bold), '.fi', '.RE'];
    case 'items':
      return block.lines.flatMap((line) => ['.IP \\(bu 2', inFonts(line)]);
    case 'terms':
    case 'examples':
      return block.rows.flatMap(([label, text]) => ['.TP', bold(label.trim()), inFonts(text)]);
  }
}

/** Text between backticks is code. */
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

/** Text for a manual page: no requests or escapes, ASCII only, and what is shown can be copied. */
export function roff(text: string): string {
  const escaped = Array.from(text, escapedCharacter).join('');
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}

/** Words to be typed as they stand. */
export function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

function escapedCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0x7f) return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
  return marks[character] ?? character;
}
