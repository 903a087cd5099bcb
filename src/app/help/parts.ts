import type { OptionSpec } from '../../core/command.js';
import { columnsOf, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import type { Row } from './blocks.js';

/** Lines under a heading; nothing where there are none. */
export function section(look: Look, title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ['', ...wrapped(title, look.width).map((line) => toned(look, 'strong', line)), ...lines];
}

/**
 * Labels on the left, texts on the right; on a narrow terminal, or beside a long label, the text stands below.
 * @param among All rows whose texts stand in one column with these.
 */
export function labelled(look: Look, rows: readonly Row[], among: readonly Row[] = rows): readonly string[] {
  const share = Math.max(16, Math.floor(look.width * 0.36));
  const fitting = among.map(([label]) => columnsOf(label)).filter((columns) => columns <= share);
  const column = Math.max(0, ...fitting);
  const room = look.width - column - 4;
  const isNarrow = room < (fitting.length < among.length ? 34 : 24);
  return rows.flatMap(([label, text]) => {
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
 * A command line of a shell to copy. One that is wider than the terminal goes on below, behind a backslash, as a shell
 * reads it; what is no command, or has a word that is wider, stays whole.
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

interface Example {
  readonly command: string;
  readonly describe: string;
}

/** Command lines to copy, each with what it does: beside it, or below a line that is too long for that. */
export function exampleLines(look: Look, examples: readonly Example[]): readonly string[] {
  const column = exampleColumn(look, examples);
  return examples.flatMap((example) => {
    const { command, describe } = example;
    if (hasRoomForText(look, column, example)) {
      const name = toned(look, 'name', command);
      return [`  ${name}${' '.repeat(column - columnsOf(command) + 2)}${toned(look, 'dim', describe)}`];
    }
    return [...copyLines(look, command), ...wrapped(describe, look.width, 6).map((line) => toned(look, 'dim', line))];
  });
}

/** Columns for the commands, so that most of them have their texts beside them; 0: none has. */
function exampleColumn(look: Look, examples: readonly Example[]): number {
  const widths = examples.map(({ command }) => columnsOf(command)).toSorted((one, other) => other - one);
  return (
    widths.find((column) => examples.filter((one) => hasRoomForText(look, column, one)).length * 2 > examples.length) ??
    0
  );
}

function hasRoomForText({ width }: Look, column: number, { command, describe }: Example): boolean {
  return columnsOf(command) <= column && column + columnsOf(describe) + 4 <= width;
}

/** A paragraph, after an empty line. */
export function paragraph({ width }: Look, text: string): readonly string[] {
  return ['', ...wrapped(text, width)];
}

/** `-X, --request METHOD`. @param hasLetters Leave room for a letter where an option has none. */
export function optionLabel(spec: OptionSpec, hasLetters: boolean): string {
  const letter = spec.alias === undefined ? (hasLetters ? '    ' : '') : `-${spec.alias}, `;
  const value = spec.kind === 'boolean' ? '' : ` ${spec.value ?? (spec.kind === 'number' ? 'N' : 'VALUE')}`;
  return `${letter}--${spec.name}${value}`;
}

/** What an option does, its values, and what holds without it. */
export function optionText(spec: OptionSpec): string {
  const fallback = 'default' in spec && spec.default !== undefined ? String(spec.default) : spec.fallback;
  const choices = 'choices' in spec && (spec.choices?.length ?? 0) > 1 ? [`one of ${spec.choices?.join(', ')}`] : [];
  const remarks = [
    ...choices,
    ...(spec.kind === 'number' ? [`${spec.min} to ${spec.max}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(spec.env === undefined ? [] : [`or ${spec.env}`]),
  ];
  return `${spec.describe}${remarks.length === 0 ? '' : ` (${remarks.join('; ')})`}`;
}

/** @param hasLetters Does any option that stands with them have a letter? @param isBrief Where an option has a short text, that. */
export function optionRows(options: readonly OptionSpec[], hasLetters: boolean, isBrief = false): readonly Row[] {
  return options.map((spec) => [optionLabel(spec, hasLetters), (isBrief && spec.brief) || optionText(spec)]);
}

/** How a command is typed; what does not fit goes on below. */
export function usageLines(look: Look, usage: string): readonly string[] {
  const [first = '', ...others] = wrapped(`Usage: ${usage}`, look.width - 4);
  return [first.replace('Usage:', toned(look, 'strong', 'Usage:')), ...others.map((line) => `    ${line}`)];
}
