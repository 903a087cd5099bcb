import type { CommandTable, OptionSpec, PositionalSpec } from '../../core/command.js';
import { wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { globalOptions } from '../global-options.js';
import { optionGroups } from './option-groups.js';
import { exampleLines, labelled, optionRows, paragraph, type Row, section, usageLines } from './parts.js';

/** `postern login [server] [options]`. */
export function usageOf({ name, positionals, options, rest }: CommandTable): string {
  return [
    `postern ${name}`,
    ...positionals.map(wordIn),
    ...(options.length === 0 ? [] : ['[options]']),
    ...(rest === undefined ? [] : [`-- <${rest.name}..>`]),
  ].join(' ');
}

/** A word of a command, as yargs and a person read it. */
export function wordIn({ name, required, many }: PositionalSpec): string {
  const word = many === true ? `${name}..` : name;
  return required ? `<${word}>` : `[${word}]`;
}

/** What the command does, in one sentence. */
export function sentenceOf({ summary }: CommandTable): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** Its words, what stands behind `--` among them. */
export function wordRows({ positionals, rest }: CommandTable): readonly Row[] {
  const behind: readonly Row[] = rest === undefined ? [] : [[`-- ${rest.name}`, rest.describe]];
  return [...positionals.map(({ name, describe }): Row => [name, describe]), ...behind];
}

/**
 * Lines of a command's help: how it is typed, examples, words, options, and what a first use needs to know.
 * @param isWhole All else that there is to say, too: `postern help login`, where `postern login --help` is shorter. That
 * has of options that few need the names alone.
 */
export function commandHelp(look: Look, table: CommandTable, isWhole: boolean): readonly string[] {
  const { name, aliases = [], examples = [], notes = [], more = [], seeAlso = [], terms } = table;
  const helpOn = (one: string) => `postern help ${one}`;
  const isCut = !isWhole && (more.length > 0 || optionGroups(table).some(({ isRare }) => isRare));
  return [
    ...usageLines(look, usageOf(table)),
    ...paragraph(look, sentenceOf(table)),
    ...(aliases.length === 0 ? [] : paragraph(look, `Also: ${aliases.map((one) => `postern ${one}`).join(', ')}`)),
    ...section(look, 'Examples', exampleLines(look, examples)),
    ...section(look, 'Arguments', labelled(look, wordRows(table))),
    ...optionSections(look, table, isWhole),
    ...paragraph(look, `Global options: ${globalOptions.map(shortLabel).join(', ')} (postern --help)`),
    ...(terms === undefined ? [] : section(look, terms.title, labelled(look, terms.rows))),
    ...[...notes, ...(isWhole ? more : [])].flatMap((note) => paragraph(look, note)),
    ...(isCut ? paragraph(look, `All that there is to say: ${helpOn(name)}`) : []),
    ...(seeAlso.length === 0 ? [] : paragraph(look, `See also: ${seeAlso.map(helpOn).join(', ')}`)),
  ];
}

function optionSections(look: Look, table: CommandTable, isWhole: boolean): readonly string[] {
  const groups = optionGroups(table).map((group) => ({ ...group, isFolded: !isWhole && group.isRare }));
  const shown = groups.flatMap(({ options, isFolded }) => (isFolded ? [] : options));
  const hasLetters = shown.some(({ alias }) => alias !== undefined);
  const all = optionRows(shown, hasLetters);
  return groups.flatMap(({ title, options, isFolded }) =>
    section(look, title, isFolded ? namesAlone(look, options) : labelled(look, optionRows(options, hasLetters), all)),
  );
}

function namesAlone(look: Look, options: readonly OptionSpec[]): readonly string[] {
  return wrapped(options.map(({ name }) => toned(look, 'name', `--${name}`)).join(', '), look.width, 2);
}

function shortLabel(spec: (typeof globalOptions)[number]): string {
  return 'alias' in spec ? `-${spec.alias}/--${spec.name}` : `--${spec.name}`;
}
