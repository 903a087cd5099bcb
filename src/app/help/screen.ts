import { columnsOf, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import type { Block, Row } from './blocks.js';

/** Lines of blocks, with an empty line between them but below a heading. */
export function linesOf(look: Look, blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block, at) => {
    const isTight = at === 0 || blocks[at - 1]?.kind === 'heading';
    return [...(isTight ? [] : ['']), ...blockLines(look, block)];
  });
}

function blockLines(look: Look, block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return wrapped(block.text, look.width).map((line) => toned(look, 'strong', line));
    case 'paragraph':
      return wrapped(inTones(look, block.text), look.width);
    case 'code':
      return block.lines.flatMap((line) => copyLines(look, line));
    case 'items':
      return block.lines.flatMap((line) => {
        const [first = '', ...others] = wrapped(inTones(look, line), look.width, 4);
        return [`  - ${first.trimStart()}`, ...others];
      });
    case 'terms':
      return labelled(look, block.rows);
    case 'examples':
      return exampleLines(look, block.rows);
  }
}

/** Text between backticks is a name. */
function inTones(look: Look, text: string): string {
  return text.replace(/`([^`]*)`/g, (_, name: string) => toned(look, 'name', name));
}

/**
 * Labels on the left, texts on the right; on a narrow terminal, or beside a long label, the text stands below.
 */
function labelled(look: Look, rows: readonly Row[]): readonly string[] {
  const share = Math.max(16, Math.floor(look.width * 0.36));
  const fitting = rows.map(([label]) => columnsOf(label)).filter((columns) => columns <= share);
  const column = Math.max(0, ...fitting);
  const room = look.width - column - 4;
  const isNarrow = room < (fitting.length < rows.length ? 34 : 24);
  return rows.flatMap(([label, plain]) => {
    const text = inTones(look, plain);
    const name = toned(look, 'name', isNarrow ? label.trim() : label);
    const names = columnsOf(name) + 2 <= look.width ? [`  ${name}`] : wrapped(name, look.width, 2);
    if (isNarrow || columnsOf(label) > column) {
      return [...names, ...wrapped(text, look.width, isNarrow ? 6 : column + 4)];
    }
    const [first = '', ...others] = wrapped(text, look.width, column + 4);
    return [`  ${name}${first.slice(columnsOf(label) + 2)}`.trimEnd(), ...others];
  });
}

/**
 * A shell command to copy. A command wider than the terminal continues after a backslash; other text, and a command with a
 * wider word, stays whole.
 */
export function copyLines(look: Look, command: string): readonly string[] {
  const words = command.match(/postern \S+|(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  const isCommand =
    /^(?:[A-Z_]+=\S* )*[a-z][a-z-]* /.test(command) && words.join(' ') === command && !command.includes('\\');
  const room = look.width - 2; // for the blank and the backslash
  const hasRoom = words.every((word) => columnsOf(word) + indentGoingOn <= room);
  if (!isCommand || !hasRoom || columnsOf(command) + 2 <= look.width) {
    const indent = columnsOf(command) > look.width ? 2 : Math.min(2, look.width - columnsOf(command));
    return [' '.repeat(indent) + toned(look, 'name', command)];
  }
  const lines: string[] = [];
  let line = ' ';
  for (const [at, word] of words.entries()) {
    if (columnsOf(line) + 1 + columnsOf(word) > (at === words.length - 1 ? look.width : room)) {
      lines.push(`${line} \\`);
      line = ' '.repeat(indentGoingOn - 1);
    }
    line += ` ${word}`;
  }
  return [...lines, line].map((one) => toned(look, 'name', one));
}

const indentGoingOn = 6;

/** Command lines to copy, each with what it does: beside it, or below a line that is too long for that. */
function exampleLines(look: Look, examples: readonly Row[]): readonly string[] {
  const column = exampleColumn(look, examples);
  return examples.flatMap((example) => {
    const [command, describe] = example;
    if (hasRoomForText(look, column, example)) {
      const name = toned(look, 'name', command);
      return [`  ${name}${' '.repeat(column - columnsOf(command) + 2)}${toned(look, 'dim', describe)}`];
    }
    return [...copyLines(look, command), ...wrapped(describe, look.width, 6).map((line) => toned(look, 'dim', line))];
  });
}

/** Columns for the commands, so that most of them have their texts beside them; 0: none has. */
function exampleColumn(look: Look, examples: readonly Row[]): number {
  const widths = examples.map(([command]) => columnsOf(command)).toSorted((one, other) => other - one);
  return (
    widths.find((column) => examples.filter((one) => hasRoomForText(look, column, one)).length * 2 > examples.length) ??
    0
  );
}

function hasRoomForText({ width }: Look, column: number, [command, describe]: Row): boolean {
  return columnsOf(command) <= column && column + columnsOf(describe) + 4 <= width;
}

/** How a command is typed; what does not fit goes on below. */
export function usageLines(look: Look, usage: string): readonly string[] {
  const [first = '', ...others] = wrapped(`Usage: ${usage}`, look.width - 4);
  return [first.replace('Usage:', toned(look, 'strong', 'Usage:')), ...others.map((line) => `    ${line}`)];
}
