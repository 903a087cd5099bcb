import type { CommandTable, PositionalSpec } from '../../core/command.js';
import { wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { globalOptions } from '../global-options.js';
import type { Row } from './blocks.js';
import { type OptionGroup, optionGroups } from './option-groups.js';
import { exampleLines, labelled, optionRows, paragraph, section, usageLines } from './parts.js';

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

/** As many examples as `--help` has room for. */
const maxExamples = 4;

/**
 * Lines of a command's help: how it is typed, examples, words, options, and what a first use needs to know.
 * @param isWhole All that there is to say: `postern help login`. `postern login --help` is for a screen or two: it has
 * the first examples, of options that few need the names alone, and of words the first sentence.
 */
export function commandHelp(look: Look, table: CommandTable, isWhole: boolean): readonly string[] {
  const { name, aliases = [], examples = [], notes = [], more = [], seeAlso = [], terms } = table;
  const helpOn = (one: string) => `postern help ${one}`;
  const shown = isWhole ? examples : examples.slice(0, maxExamples);
  const rows = isWhole ? terms?.rows : terms?.rows.map(([term, text]): Row => [term, firstSentence(text)]);
  const isCut = !isWhole && hasMore(table);
  const ways = [
    ...(isCut ? [`All of it: ${helpOn(name)}`] : []),
    ...(seeAlso.length === 0 ? [] : [`See also: ${seeAlso.map(helpOn).join(', ')}`]),
  ];
  return [
    ...usageLines(look, usageOf(table)),
    ...paragraph(look, sentenceOf(table)),
    ...(aliases.length === 0 ? [] : paragraph(look, `Also: ${aliases.map((one) => `postern ${one}`).join(', ')}`)),
    ...section(look, 'Examples', exampleLines(look, shown)),
    ...section(look, 'Arguments', labelled(look, wordRows(table))),
    ...optionSections(look, table, isWhole),
    ...paragraph(look, `Global options: ${globalOptions.map(shortLabel).join(', ')}`),
    ...(terms === undefined ? [] : section(look, terms.title, labelled(look, rows ?? []))),
    ...[...notes, ...(isWhole ? more : [])].flatMap((note) => paragraph(look, note)),
    ...(ways.length === 0 ? [] : ['', ...ways.flatMap((line) => wrapped(line, look.width))]),
  ];
}

/** Does `postern help` say more of it than `--help`? */
export function hasMore(table: CommandTable): boolean {
  const { examples = [], more = [], terms } = table;
  return (
    more.length > 0 ||
    examples.length > maxExamples ||
    table.options.some(({ brief }) => brief !== undefined) ||
    optionGroups(table).some(({ isRare }) => isRare) ||
    (terms?.rows.some(([, text]) => firstSentence(text) !== text) ?? false)
  );
}

function firstSentence(text: string): string {
  return /^.*?\.(?= [A-Z])/s.exec(text)?.[0] ?? text;
}

function optionSections(look: Look, table: CommandTable, isWhole: boolean): readonly string[] {
  const groups = optionGroups(table);
  const shown = groups.filter(({ isRare }) => isWhole || !isRare);
  const hasLetters = shown.some(({ options }) => options.some(({ alias }) => alias !== undefined));
  const all = optionRows(
    shown.flatMap(({ options }) => options),
    hasLetters,
    !isWhole,
  );
  const rare = isWhole ? [] : groups.filter(({ isRare }) => isRare);
  return [
    ...shown.flatMap(({ title, options }) =>
      section(look, title, labelled(look, optionRows(options, hasLetters, !isWhole), all)),
    ),
    ...section(
      look,
      `More options (postern help ${table.name})`,
      rare.flatMap((group) => namesAlone(look, group)),
    ),
  ];
}

/** The options of a group by their names, its title before them. */
function namesAlone(look: Look, { title, options }: OptionGroup): readonly string[] {
  const names = options.map(({ name }) => toned(look, 'name', `--${name}`)).join(', ');
  const [first = '', ...others] = wrapped(`${title}: ${names}`, look.width, 4);
  return [first.slice(2), ...others];
}

function shortLabel(spec: (typeof globalOptions)[number]): string {
  return 'alias' in spec ? `-${spec.alias}/--${spec.name}` : `--${spec.name}`;
}
