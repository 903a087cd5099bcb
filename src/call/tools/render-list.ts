import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { columnsOf, cutTo, inColumns, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';
import type { ToolSignature } from '../../stores/ports.js';
import { parameterWord } from './in-words.js';
import { signatureOf } from './signatures.js';

/** Where a list is read: on a terminal it is laid out for its width; into a pipe it goes whole. */
export interface ListLayout {
  readonly look: Look;
  readonly isTerminal: boolean;
}

/** Lines of a description on a terminal, at most; the rest is told by `--help`. */
const maxLines = 2;

const indent = 4;

/** A protocol's list as lines; undefined for a method that lists nothing of that kind. What it prints is printable. */
export function listLines(method: string, result: JsonObject, layout: ListLayout): Iterable<string> | undefined {
  switch (method) {
    case 'tools/list':
      return entries(result['tools'], (tool) => signatureOf(tool).flatMap((one) => toolLines(one, layout)));
    case 'prompts/list':
      return entries(result['prompts'], (prompt) => promptLines(asObject(prompt) ?? {}, layout));
    case 'resources/list':
      return resourceLines(result['resources'], 'uri', layout);
    case 'resources/templates/list':
      return resourceLines(result['resourceTemplates'], 'uriTemplate', layout);
    default:
      return undefined;
  }
}

function* entries(value: JsonValue | undefined, linesOf: (entry: JsonValue) => readonly string[]): Generator<string> {
  let isEmpty = true;
  for (const entry of Array.isArray(value) ? value : []) {
    for (const line of linesOf(entry)) {
      isEmpty = false;
      yield line;
    }
  }
  if (isEmpty) yield '(none)';
}

function toolLines(tool: ToolSignature, layout: ListLayout): readonly string[] {
  const { look } = layout;
  const words = tool.parameters.map((one) => {
    const word = parameterWord(one);
    return one.isRequired ? word : toned(look, 'dim', word);
  });
  const head = [toned(look, 'name', oneLine(tool.name)), ...words].join(' ');
  return [...headLines(head, marksOf(tool, look), layout), ...aboutLines(tool.description, layout)];
}

/** In words, since colours are not for everybody. */
export function marksOf({ isReadOnly, isDestructive }: ToolSignature, look: Look): string {
  if (isReadOnly) return toned(look, 'good', '(read-only)');
  return isDestructive ? toned(look, 'bad', '(destructive)') : '';
}

function headLines(head: string, mark: string, { look, isTerminal }: ListLayout): readonly string[] {
  const whole = mark === '' ? head : `${head}  ${mark}`;
  if (!isTerminal || columnsOf(whole) <= look.width) return [whole];
  return hanging(mark === '' ? head : `${head} ${mark}`, look.width);
}

/** Lines whose first is not indented. */
export function hanging(text: string, width: number): readonly string[] {
  const [first = '', ...others] = wrapped(text, width, indent + 2);
  return [first.trimStart(), ...others];
}

function aboutLines(text: string, { look, isTerminal }: ListLayout): readonly string[] {
  if (text === '') return [];
  if (!isTerminal) return text.split(/\r?\n/).map((line) => `${' '.repeat(indent)}${printable(line, whole)}`.trimEnd());
  const lines = wrapped(oneLine(text), look.width, indent);
  const shown = lines.slice(0, maxLines).map((line) => cutTo(look.width, line));
  const last = shown.at(-1);
  if (lines.length <= maxLines || last === undefined) return shown;
  return [...shown.slice(0, -1), `${cutTo(look.width - 1, last).replace(/[…\s.]+$/, '')}…`];
}

const whole = Number.POSITIVE_INFINITY;

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '), whole);
}

function promptLines(prompt: JsonObject, layout: ListLayout): readonly string[] {
  const { look } = layout;
  const words = objectsIn(prompt['arguments']).map((one) => {
    const name = oneLine(stringField(one, 'name') ?? '?');
    return one['required'] === true ? name : toned(look, 'dim', `[${name}]`);
  });
  const head = [toned(look, 'name', oneLine(stringField(prompt, 'name') ?? '?')), ...words].join(' ');
  return [...headLines(head, '', layout), ...aboutLines(stringField(prompt, 'description') ?? '', layout)];
}

/** A name needs so many columns beside an address. */
const roomForName = 14;

function resourceLines(value: JsonValue | undefined, key: string, layout: ListLayout): Iterable<string> {
  const { look, isTerminal } = layout;
  const listed = objectsIn(value);
  if (listed.length === 0) return ['(none)'];
  const rows = listed.map((one) => {
    const [address, type] = [key, 'mimeType'].map((name) => oneLine(stringField(one, name) ?? ''));
    const name = oneLine(stringField(one, 'title') ?? stringField(one, 'name') ?? '');
    return [toned(look, 'name', address ?? ''), toned(look, 'dim', type ?? ''), name];
  });
  if (!isTerminal) return inColumns({ ...look, width: whole }, rows);
  const isWide = rows.every(([address = '', type = '']) => columnsOf(address + type) + roomForName <= look.width);
  if (isWide) return inColumns(look, rows);
  return rows.flatMap(([address = '', type, name]) => [
    address,
    ...wrapped([name, type && `(${type})`].filter(Boolean).join(' '), look.width, indent),
  ]);
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return (Array.isArray(value) ? value : []).map(asObject).filter((one) => one !== undefined);
}
