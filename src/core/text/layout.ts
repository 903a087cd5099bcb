import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';
import type { Look } from './look.js';

/** One column each. Most texts match; the patterns for other texts are slow to compile. */
const simple = /^[ -~\u00a1-\u00ac\u00ae-\u02af\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u257f\u2713\u2717\n]*$/;

/** Sequences drawn as one picture, two columns wide (UTS #51, section 1.4.9). */
const emoji =
  /(?:\p{RI}{2}|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)\p{EMod}?\u20e3?(?:\u200d\p{Emoji}\ufe0f?\p{EMod}?)*/gu;

/** For lines that are not wrapped. */
const endless: Look = { width: Number.POSITIVE_INFINITY, color: false };

/** The layout of a result: in a pipe, lines are not wrapped. */
export function readerLook({
  out,
  look,
}: {
  readonly out: { readonly isTerminal: boolean };
  readonly look: Look;
}): Look {
  return out.isTerminal ? look : endless;
}

/** Columns of a line; colours take none. */
export function columnsOf(text: string): number {
  const bare = stripVTControlCharacters(text);
  if (simple.test(bare)) return bare.length;
  const visible = bare
    .normalize('NFC')
    .replaceAll(emoji, '日')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Mn}\p{Me}]/gu, '');
  return [...visible].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0) ?? 0), 0);
}

/** Cuts a plain line to fit; ends with `…` if cut. */
export function cutTo(width: number, text: string): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (columnsOf(kept + character) >= width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Cuts a plain line to fit, in the middle, with `…` there. */
export function cutInside(width: number, text: string): string {
  if (columnsOf(text) <= width) return text;
  const characters = [...text];
  const room = Math.max(0, width - 1);
  const atEnd = Math.floor(room * 0.4);
  let [head, tail] = ['', ''];
  for (const character of characters) {
    if (columnsOf(head + character) > room - atEnd) break;
    head += character;
  }
  for (const character of characters.toReversed()) {
    if (columnsOf(character + tail) > atEnd) break;
    tail = character + tail;
  }
  return `${head}…${tail}`;
}

/** Wraps a paragraph, each line indented by `indent` columns, the first by `first`. A word longer than a line stays whole. */
export function wrapped(text: string, width: number, indent = 0, first = indent): readonly string[] {
  const taken = ' '.repeat(Math.max(0, first - indent));
  const room = Math.max(20, width - indent);
  const lines = (taken + text).split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = /^ */.exec(paragraph)?.[0] ?? '';
    let isEmpty = true;
    for (const word of paragraph.split(' ').filter(Boolean)) {
      if (!isEmpty && columnsOf(line) + 1 + columnsOf(word) > room) {
        lines.push(line);
        line = word;
      } else line += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    return [...lines, line];
  });
  return lines.map((line) => `${' '.repeat(indent)}${line.trimStart()}`.trimEnd());
}

/** A command on its own line, indented less if it would not fit otherwise. */
export function commandLine(command: string, width: number, indent: number): string {
  const room = width - columnsOf(command);
  return ' '.repeat(Math.max(0, Math.min(indent, room))) + command;
}

/** A line that ends with a command, which users copy. */
const commandAtEnd = /^(.+): (postern [^;]+)$/s;

/** Lines that must not be wrapped: JSON, stack frames, commands to copy. */
const keptWhole = /^(?:\{| +at | +postern )/;

/**
 * Wraps a line to the terminal: words stay whole, continuation lines are indented by `hang` columns more, and a command at
 * the end gets its own line.
 */
export function fitted(line: string, width: number, hang = 0): readonly string[] {
  if (columnsOf(line) <= width || keptWhole.test(line)) return [line];
  const first = /^ */.exec(line)?.[0].length ?? 0;
  const indent = first + hang;
  const begin = (text: string) => {
    const [head = '', ...others] = wrapped(text.trimStart(), width, indent, first + hang);
    return [`${' '.repeat(first)}${head.trimStart()}`, ...others];
  };
  const [, advice, command] = commandAtEnd.exec(line) ?? [];
  return advice === undefined || command === undefined
    ? begin(line)
    : [...begin(`${advice}:`), commandLine(command, width, indent + 2)];
}

/** Minimum columns for a text beside its label. */
const minTextWidth = 30;

/**
 * Rows in columns if all of them fit. Else the text of each row is wrapped beside its first cell, or below it if the space
 * beside it is too narrow; all rows alike.
 */
export function inColumnsOrStacked(look: Look, rows: readonly (readonly string[])[]): readonly string[] {
  const lines = inColumns(endless, rows);
  if (lines.every((line) => columnsOf(line) <= look.width)) return lines;
  const column = Math.max(0, ...rows.map(([head = '']) => columnsOf(head))) + 2;
  const room = look.width - column;
  const texts = rows.map(([, ...others]) => others.filter((cell) => cell !== '').join('  '));
  const hasRoom = texts.every((text) => text.split(' ').every((word) => columnsOf(word) <= room));
  return rows.flatMap(([head = ''], at) => {
    const text = texts[at] ?? '';
    if (text === '') return [head];
    if (room < minTextWidth || !hasRoom)
      return [head.trimEnd(), ...wrapped(withBrokenWords(text, look.width - 4), look.width, 4)];
    const [first = '', ...others] = wrapped(text, look.width, column);
    return [head + ' '.repeat(column - columnsOf(head)) + first.trimStart(), ...others];
  });
}

/** Breaks words wider than the line, such as identifiers. */
export function withBrokenWords(text: string, room: number): string {
  const broken = (word: string) => word.match(new RegExp(`.{1,${room}}`, 'gu'))?.join(' ') ?? word;
  return text
    .split(' ')
    .map((word) => (columnsOf(word) <= room ? word : broken(word)))
    .join(' ');
}

/**
 * Rows in columns, two spaces apart. If they do not fit, the column `flexible` is cut, by default the last; cells may have
 * tones.
 */
export function inColumns({ width }: Look, rows: readonly (readonly string[])[], flexible?: number): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => columnsOf(row[at] ?? ''))));
  const flex = flexible ?? count - 1;
  const over = widths.reduce((sum, one) => sum + one + 2, -2) - width;
  if (over > 0) widths[flex] = Math.max(8, (widths[flex] ?? 0) - over);
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const room = widths[at] ?? 0;
        const shown = at === flex && columnsOf(cell) > room ? cutTo(room, cell) : cell;
        return at === row.length - 1 ? shown : shown + ' '.repeat(Math.max(0, room - columnsOf(shown)) + 2);
      })
      .join('')
      .trimEnd(),
  );
}
