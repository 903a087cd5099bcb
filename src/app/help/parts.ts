import type { OptionSpec } from '../../core/command.js';
import { columnsOf, commandLine, wrapped } from '../../core/text/layout.js';
import { type Look, type Tone, toned } from '../../core/text/look.js';

/** A label, and what is said of it. */
export type Row = readonly [label: string, text: string];

/** Lines under a heading; nothing where there are none. */
export function section(look: Look, title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', toned(look, 'strong', title), ...lines];
}

/** Labels on the left, texts on the right; on a narrow terminal, or beside a long label, the text stands below. */
export function labelled(look: Look, rows: readonly Row[], tone: Tone = 'name'): readonly string[] {
  const share = Math.max(16, Math.floor(look.width * 0.36));
  const fitting = rows.map(([label]) => columnsOf(label)).filter((columns) => columns <= share);
  const column = Math.max(0, ...fitting);
  const room = look.width - column - 4;
  const isNarrow = room < (fitting.length < rows.length ? 34 : 20);
  return rows.flatMap(([label, text]) => {
    const name = toned(look, tone, isNarrow ? label.trim() : label);
    if (isNarrow || columnsOf(label) > column) {
      return [`  ${name}`, ...wrapped(text, look.width, isNarrow ? 6 : column + 4)];
    }
    const [first = '', ...others] = wrapped(text, look.width, column + 4);
    return [`  ${name}${first.slice(columnsOf(label) + 2)}`.trimEnd(), ...others];
  });
}

/** Command lines to copy, never broken, each with what it does. */
export function exampleLines(
  look: Look,
  examples: readonly { readonly command: string; readonly describe: string }[],
): readonly string[] {
  const column = Math.max(0, ...examples.map(({ command }) => columnsOf(command)));
  const isWide = examples.every(({ describe }) => column + columnsOf(describe) + 4 <= look.width);
  return examples.flatMap(({ command, describe }) => {
    const name = toned(look, 'name', command);
    if (isWide) return [`  ${name}${' '.repeat(column - columnsOf(command) + 2)}${toned(look, 'dim', describe)}`];
    const first = commandLine(command, look.width, 2).replace(command, () => name);
    return [first, ...wrapped(describe, look.width, 6).map((line) => toned(look, 'dim', line))];
  });
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

export function optionRows(options: readonly OptionSpec[]): readonly Row[] {
  const hasLetters = options.some(({ alias }) => alias !== undefined);
  return options.map((spec) => [optionLabel(spec, hasLetters), optionText(spec)]);
}

/** How a command is typed; what does not fit goes on below. */
export function usageLines(look: Look, usage: string): readonly string[] {
  const [first = '', ...others] = wrapped(`Usage: ${usage}`, look.width - 4);
  return [first.replace('Usage:', toned(look, 'strong', 'Usage:')), ...others.map((line) => `    ${line}`)];
}
