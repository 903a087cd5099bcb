import { columnsOf, inColumns, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable, shellWord } from '../../core/text/printable.js';
import type { ToolParameter, ToolSignature } from '../../stores/ports.js';
import { exampleOf, parameterWord, typeWord, valueWord } from './in-words.js';
import type { CommandFor } from './known-tools.js';
import { hanging, marksOf } from './render-list.js';

/** A description beside the table takes so many columns at least; else it stands below its row. */
const minRoom = 24;

/**
 * The lines of `postern call SERVER TOOL --help`: what the tool does, its parameters, and an example to copy.
 * What it prints is printable.
 */
export function toolHelp(tool: ToolSignature, commandFor: CommandFor, look: Look): readonly string[] {
  const { name, description, parameters } = tool;
  const head = [toned(look, 'name', printable(name)), ...parameters.map(parameterWord)].join(' ');
  return [
    ...hanging([head, marksOf(tool, look)].filter(Boolean).join(' '), look.width),
    ...(description === '' ? [] : ['', ...paragraphs(description, look)]),
    ...section(look, 'Parameters', parameters.length === 0 ? ['  It takes none.'] : table(parameters, look)),
    ...section(look, 'Example', [`  ${toned(look, 'name', exampleCall(tool, commandFor))}`]),
  ];
}

/** A command line that calls the tool with what it requires. Printable. */
function exampleCall({ name, parameters }: ToolSignature, commandFor: CommandFor): string {
  const words = parameters.filter((one) => one.isRequired).map(exampleOf);
  return printable(commandFor([shellWord(name), ...words].join(' ')), Number.POSITIVE_INFINITY);
}

function section(look: Look, title: string, lines: readonly string[]): readonly string[] {
  return ['', toned(look, 'strong', title), ...lines];
}

function paragraphs(text: string, { width }: Look): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [''] : wrapped(shown(line.trim()), width)));
}

function shown(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '), Number.POSITIVE_INFINITY);
}

const headings = ['name', 'type', 'required', 'default'] as const;

function table(parameters: readonly ToolParameter[], look: Look): readonly string[] {
  const hasTexts = parameters.some((one) => textOf(one) !== '');
  const unbound = { ...look, width: Number.POSITIVE_INFINITY };
  const left = inColumns(unbound, [headings.map((word) => toned(look, 'dim', word)), ...parameters.map(cellsOf(look))]);
  const column = Math.max(...left.map(columnsOf)) + 4;
  if (column + minRoom > look.width) return stacked(parameters, look);
  return ['description', ...parameters.map(textOf)].flatMap((text, at) => {
    const row = left[at] ?? '';
    const [first = '', ...others] = hasTexts && text !== '' ? wrapped(text, look.width, column) : [];
    const textCell = at === 0 ? toned(look, 'dim', first.trim()) : first.trim();
    return [`  ${row}${' '.repeat(column - 2 - columnsOf(row))}${textCell}`.trimEnd(), ...others];
  });
}

/** For narrow terminals: all of a parameter below its name. */
function stacked(parameters: readonly ToolParameter[], look: Look): readonly string[] {
  return parameters.flatMap((one) => {
    const [name = '', type, required, preset] = cellsOf(look)(one);
    const facts = [type, required === 'yes' ? 'required' : '', preset === '' ? '' : `default ${preset}`];
    const [text, about] = [facts.filter(Boolean).join(', '), textOf(one)];
    return [`  ${name}`, ...wrapped(text, look.width, 4), ...(about === '' ? [] : wrapped(about, look.width, 4))];
  });
}

function cellsOf(look: Look): (parameter: ToolParameter) => readonly string[] {
  return (one) => [
    toned(look, 'name', printable(one.name, 80)),
    typeWord({ ...one, choices: undefined }),
    one.isRequired ? 'yes' : 'no',
    one.default === undefined || one.default === null ? '' : valueWord(one.default),
  ];
}

function textOf({ description, choices }: ToolParameter): string {
  const listed = choices?.filter((one) => one !== null).map((one) => valueWord(one)) ?? [];
  const oneOf = listed.length === 0 ? '' : `One of: ${listed.join(', ')}.`;
  return [shown(description), oneOf].filter(Boolean).join(' ');
}
