import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import {
  ifEditable,
  lineEnd,
  lineEnding,
  lineStart,
  membersOf,
  missingEnding,
  NotEditable,
  type OpenedText,
  splice,
  valueAt,
  valueWithout,
  withoutMark,
} from './text.js';

/** A table from its header to behind its last pair. */
interface Table {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** What a text means. @throws NotEditable */
export function readToml(text: string): unknown {
  return getStaticTOMLValue(programOf(text));
}

/**
 * The table of that name, with the tables right behind it that belong to it. One that is named otherwise than by a header of
 * its own, or lies apart, is not edited here.
 * @throws NotEditable
 */
export function openToml(text: string, path: readonly string[]): OpenedText<string> {
  const whole = readToml(text);
  const value = valueAt(whole, path);
  const tables = tablesOf(text);
  const isWithin = (table: Table) => path.every((name, at) => name === table.path[at]);
  const at = tables.findIndex((table) => isWithin(table) && table.path.length === path.length);
  const [own, ...others] = at === -1 ? [] : tables.slice(at);
  const apart = others.findIndex((table) => !isWithin(table));
  const below = apart === -1 ? others : others.slice(0, apart);
  const end = below.at(-1)?.end ?? own?.end ?? 0;
  const raw = own && text.slice(own.start, end);
  const alone = raw && valueAt(readToml(raw), path);
  if (Array.isArray(value) || JSON.stringify(alone) !== JSON.stringify(value)) throw new NotEditable('form');
  return {
    raw,
    value,
    rest: valueWithout(whole, path),
    set: (entry) => {
      const lines = entry && (entry.raw ?? tableOf(path, entry.value, lineEnding(text)));
      if (own === undefined) return lines === undefined ? text : appended(text, lines);
      if (lines !== undefined) return splice(text, [own.start, end, lines]);
      return text.slice(0, own.start).replace(/\r?\n(?=\r?\n$)/, '') + text.slice(end);
    },
  };
}

function programOf(text: string): AST.TOMLProgram {
  try {
    return parseTOML(withoutMark(text));
  } catch {
    throw new NotEditable('unreadable'); // also for brackets by the thousand
  }
}

/** Every table in its order. */
function tablesOf(text: string): readonly Table[] {
  return programOf(text).body[0].body.flatMap((one): readonly Table[] => {
    if (one.type !== 'TOMLTable') return [];
    const last = one.body.at(-1) ?? one.key;
    return [{ path: namesIn(one.key), start: lineStart(text, one.range[0]), end: lineEnd(text, last.range[1]) }];
  });
}

function namesIn(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((name) => (name.type === 'TOMLBare' ? name.name : name.value));
}

function tableOf(path: readonly string[], value: unknown, eol: string): string {
  const pairs = Object.entries(membersOf(value)).map(([name, inner]) => `${keyOf(name)} = ${rendered(inner)}`);
  return [`[${path.map(keyOf).join('.')}]`, ...pairs, ''].join(eol);
}

function appended(text: string, lines: string): string {
  const gap = withoutMark(text).trim() === '' && !text.includes('\n') ? '' : lineEnding(text);
  const made = `${text}${missingEnding(text)}${gap}${lines}`;
  if (ifEditable(() => readToml(made)) === undefined) throw new NotEditable('form'); // the list is an inline table
  return made;
}

/** Strings as basic strings: JSON's escapes are among TOML's, but for DEL, which has to be escaped here. */
function rendered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(', ')}]`;
  if (value instanceof Date) throw new NotEditable('form');
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([name, inner]) => `${keyOf(name)} = ${rendered(inner)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  return String(JSON.stringify(value)).replaceAll('\x7f', '\\u007f');
}

function keyOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : rendered(name);
}
