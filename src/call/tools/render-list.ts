import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { columnsOf, cutTo, inColumnsOrStacked, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable, shellWord } from '../../core/text/printable.js';
import type { ToolParameter, ToolSignature } from '../../stores/state/tool-lists.js';
import { exampleOf, parameterWord, typeWord, valueWord } from './in-words.js';
import type { CommandFor } from './known-tools.js';
import { signatureOf } from './signatures.js';

/** Where a list is read: on a terminal it is laid out for its width; into a pipe it goes whole. */
interface ListLayout {
  readonly look: Look;
  readonly isTerminal: boolean;
  /** `--long`: all of each description, and what each parameter means. */
  readonly isLong: boolean;
}

/** A layout, and how many entries the list has. */
interface EntryLayout extends ListLayout {
  readonly count: number;
}

/** Lines of a description on a terminal, at most: one where the list is long. The rest is told by `--help`. */
const maxLines = { short: 2, long: 1 } as const;

/** Entries of a long list, at least. */
const longList = 12;

const indent = 4;

/** A protocol's list as lines; undefined for a method that lists nothing of that kind. What it prints is printable. */
export function listLines(method: string, result: JsonObject, layout: ListLayout): Iterable<string> | undefined {
  switch (method) {
    case 'tools/list':
      return entries(result['tools'], layout, (tool, of) => signatureOf(tool).flatMap((one) => toolLines(one, of)));
    case 'prompts/list':
      return entries(result['prompts'], layout, (prompt, of) => promptLines(asObject(prompt) ?? {}, of));
    case 'resources/list':
      return resourceLines(result['resources'], 'uri', layout);
    case 'resources/templates/list':
      return resourceLines(result['resourceTemplates'], 'uriTemplate', layout);
    default:
      return undefined;
  }
}

function* entries(
  value: JsonValue | undefined,
  layout: ListLayout,
  linesOf: (entry: JsonValue, layout: EntryLayout) => readonly string[],
): Generator<string> {
  let isEmpty = true;
  const listed = Array.isArray(value) ? value : [];
  for (const entry of listed) {
    const lines = linesOf(entry, { ...layout, count: listed.length });
    if (layout.isLong && !isEmpty && lines.length > 0) yield '';
    isEmpty &&= lines.length === 0;
    yield* lines;
  }
  if (isEmpty) yield '(none)';
}

function toolLines(tool: ToolSignature, layout: EntryLayout): readonly string[] {
  const { look } = layout;
  const words = tool.parameters.map((one) => {
    const word = parameterWord(one);
    return one.isRequired ? word : toned(look, 'dim', word);
  });
  const head = [toned(look, 'name', oneLine(tool.name)), ...words].join(' ');
  return [
    ...headLines(head, marksOf(tool, look), layout),
    ...aboutLines(tool.description, layout),
    ...meaningLines(tool.parameters, layout),
  ];
}

/** In words, since colours are not for everybody. */
function marksOf({ isReadOnly, isDestructive, isIdempotent }: ToolSignature, look: Look): string {
  if (isReadOnly) return toned(look, 'good', '(read-only)');
  if (isDestructive) return toned(look, 'bad', isIdempotent ? '(destructive, idempotent)' : '(destructive)');
  return isIdempotent ? toned(look, 'good', '(idempotent)') : '';
}

function headLines(head: string, mark: string, { look, isTerminal }: ListLayout): readonly string[] {
  const whole = mark === '' ? head : `${head}  ${mark}`;
  return !isTerminal || columnsOf(whole) <= look.width ? [whole] : hanging(whole, look.width);
}

/** Lines whose first is not indented. */
function hanging(text: string, width: number): readonly string[] {
  // A word of many choices is wider than a narrow terminal.
  const words = text
    .split(' ')
    .map((word) => (columnsOf(word) > width - indent - 2 ? word.replaceAll('|', '| ') : word));
  const [first = '', ...others] = wrapped(words.join(' '), width, indent + 2);
  return [first.trimStart(), ...others];
}

function aboutLines(text: string, { look, isTerminal, isLong, count }: EntryLayout): readonly string[] {
  if (text === '') return [];
  if (!isTerminal) return text.split(/\r?\n/).map((line) => `${' '.repeat(indent)}${printable(line, whole)}`.trimEnd());
  const lines = wrapped(oneLine(text), look.width, indent);
  if (isLong) return lines;
  const max = count < longList ? maxLines.short : maxLines.long;
  const shown = lines.slice(0, max).map((line) => cutTo(look.width, line));
  const last = shown.at(-1);
  if (lines.length <= max || last === undefined) return shown;
  return [...shown.slice(0, -1), endingOpen(last, look.width)];
}

/** The line with `…` behind its last word that has room for it. */
function endingOpen(line: string, width: number): string {
  const bare = line.replace(/[\u2026\s.,;:]+$/, '');
  const words = columnsOf(bare) < width ? bare : bare.replace(/[.,;:]*\s+\S*$/, '');
  return `${cutTo(width - 1, words).replace(/\u2026$/, '')}\u2026`;
}

/** Parameters whose meaning somebody has told. */
interface Described {
  readonly name: string;
  readonly description: string;
}

/** With `--long`: what each parameter means. */
function meaningLines(parameters: readonly Described[], { look, isTerminal, isLong }: ListLayout): readonly string[] {
  const described = isLong ? parameters.filter(({ description }) => description !== '') : [];
  const rows = described.map(({ name, description }) => [oneLine(name), oneLine(description)]);
  const width = isTerminal ? look.width - indent - 2 : whole;
  return inColumnsOrStacked({ ...look, width }, rows).map((line) => ' '.repeat(indent + 2) + toned(look, 'dim', line));
}

const whole = Number.POSITIVE_INFINITY;

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '), whole);
}

function promptLines(prompt: JsonObject, layout: EntryLayout): readonly string[] {
  const { look } = layout;
  const words = objectsIn(prompt['arguments']).map((one) => {
    const name = oneLine(stringField(one, 'name') ?? '?');
    return one['required'] === true ? name : toned(look, 'dim', `[${name}]`);
  });
  const head = [toned(look, 'name', oneLine(stringField(prompt, 'name') ?? '?')), ...words].join(' ');
  const meanings = objectsIn(prompt['arguments']).map((one) => ({
    name: stringField(one, 'name') ?? '?',
    description: stringField(one, 'description') ?? '',
  }));
  return [
    ...headLines(head, '', layout),
    ...aboutLines(stringField(prompt, 'description') ?? '', layout),
    ...meaningLines(meanings, layout),
  ];
}

function resourceLines(value: JsonValue | undefined, key: string, layout: ListLayout): Iterable<string> {
  const { look, isTerminal } = layout;
  const listed = objectsIn(value);
  if (listed.length === 0) return ['(none)'];
  const rows = listed.map((one) => {
    const [address, type] = [key, 'mimeType'].map((name) => oneLine(stringField(one, name) ?? ''));
    const name = oneLine(stringField(one, 'title') ?? stringField(one, 'name') ?? '');
    return [toned(look, 'name', address ?? ''), toned(look, 'dim', type ?? ''), name];
  });
  return inColumnsOrStacked({ ...look, width: isTerminal ? look.width : whole }, rows);
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return (Array.isArray(value) ? value : []).map(asObject).filter((one) => one !== undefined);
}

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
    ...section(look, 'Parameters', parameters.length === 0 ? ['  It takes none.'] : parameterLines(parameters, look)),
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
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [''] : wrapped(oneLine(line.trim()), width)));
}

/** The facts about each parameter, and what it means. */
function parameterLines(parameters: readonly ToolParameter[], look: Look): readonly string[] {
  const rows = parameters.map((one) => {
    const preset = one.default === undefined || one.default === null ? '' : `default ${valueWord(one.default)}`;
    const facts = [typeWord({ ...one, choices: undefined }), one.isRequired ? 'required' : '', preset].filter(Boolean);
    const listed = one.choices?.filter((choice) => choice !== null).map(valueWord) ?? [];
    const oneOf = listed.length === 0 ? '' : `One of: ${listed.join(', ')}.`;
    const text = [`${facts.join(', ')}.`, oneLine(one.description), oneOf].filter(Boolean).join(' ');
    return [toned(look, 'name', printable(one.name, 80)), text];
  });
  return inColumnsOrStacked({ ...look, width: look.width - 2 }, rows).map((line) => `  ${line}`);
}
