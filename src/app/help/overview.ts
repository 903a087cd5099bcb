import type { CommandGroup, CommandTable } from '../../core/command.js';
import { wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { globalOptions } from '../global-options.js';
import type { Row } from './blocks.js';
import { exampleLines, labelled, optionRows, paragraph, section, usageLines } from './parts.js';

/** The groups of `postern --help`, in order. */
export const groups: readonly (readonly [group: CommandGroup, title: string])[] = [
  ['log-in', 'Log in'],
  ['use', 'Use'],
  ['programs', 'For other programs'],
  ['more', 'More'],
];

export const product = 'Log in once to a protected server (MCP), from a terminal, and use that login everywhere.';

const examples = [
  { command: 'postern login https://example.com/mcp --name work', describe: 'log in, in the browser' },
  { command: 'postern call work', describe: 'list its tools' },
  { command: 'postern setup claude work --write', describe: 'let another program use it' },
];

/** Lines of `postern --help`. @param topics The names of the topics. */
export function overview(look: Look, tables: readonly CommandTable[], topics: readonly string[]): readonly string[] {
  const shown = tables.filter(({ hidden }) => hidden !== true);
  const lists = groups.map(([group, title]) => ({
    title,
    rows: shown.filter((table) => (table.group ?? 'more') === group).map(commandRow),
  }));
  const width = Math.max(...shown.map((table) => commandRow(table)[0].length));
  const even = (rows: readonly Row[]) => rows.map(([label, text]): Row => [label.padEnd(width), text]);
  return [
    ...usageLines(look, 'postern <command> [options]'),
    ...paragraph(look, product),
    ...section(look, 'Examples', exampleLines(look, examples)),
    ...lists.flatMap(({ title, rows }) => section(look, title, labelled(look, even(rows)))),
    ...section(look, 'Global options', labelled(look, optionRows(globalOptions, true))),
    ...section(look, 'Topics', [...wrapped(topics.join(', '), look.width, 2)]),
    '',
    ...wrapped(`More on each: ${toned(look, 'name', 'postern help <command or topic>')}`, look.width),
  ];
}

function commandRow({ name, aliases = [], summary }: CommandTable): Row {
  return [name, aliases.length === 0 ? summary : `${summary} (also ${aliases.join(', ')})`];
}
