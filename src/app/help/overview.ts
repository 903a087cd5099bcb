import type { CommandGroup, CommandTable } from '../../core/command.js';
import { globalOptions } from '../global-options.js';
import { type Block, paragraphs, type Row, section } from './blocks.js';
import { optionRows } from './command-help.js';
import { topicNames } from './topics.js';

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
