import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import {
  type EntryMembers,
  ifEditable,
  lineEnd,
  lineEnding,
  lineStart,
  membersOf,
  missingEnding,
  NotEditable,
  type OpenedText,
  type PlainJson,
  type Splice,
  splice,
  valueAt,
  valueWithout,
  withoutMark,
} from './text.js';

interface Pair {
  readonly path: readonly string[];
  /** Its lines, and its value in them. */
  readonly start: number;
  readonly end: number;
  readonly value: AST.TOMLContentNode;
}

/** A table from its header to behind its last pair. */
interface Table {
  readonly path: readonly string[];
  readonly pairs: readonly Pair[];
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
    put: (entry) => (own === undefined ? appended(text, path, entry) : changed(text, own, below, entry)),
    restore: (former) => {
      if (own === undefined) throw new NotEditable('shape');
      if (former?.raw !== undefined) return splice(text, [own.start, end, former.raw]);
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
    const pairs = one.body.map(({ key, value, range }) => {
      return { path: namesIn(key), start: lineStart(text, range[0]), end: lineEnd(text, range[1]), value };
    });
    const end = pairs.at(-1)?.end ?? lineEnd(text, one.key.range[1]);
    return [{ path: namesIn(one.key), pairs, start: lineStart(text, one.range[0]), end }];
  });
}

function namesIn(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((name) => (name.type === 'TOMLBare' ? name.name : name.value));
}

function appended(text: string, path: readonly string[], { members }: EntryMembers): string {
  const eol = lineEnding(text);
  const name = path.map(keyOf).join('.');
  const lines = [`[${name}]`, ...Object.entries(members).map(([key, value]) => `${key} = ${rendered(value)}`)];
  const gap = withoutMark(text).trim() === '' && !text.includes('\n') ? '' : eol;
  const made = `${text}${missingEnding(text)}${gap}${lines.join(eol)}${eol}`;
  if (ifEditable(() => readToml(made)) === undefined) throw new NotEditable('form'); // the list is an inline table
  return made;
}

/** Changes the pairs that differ, adds those that are missing, removes those of `without`. */
function changed(text: string, own: Table, below: readonly Table[], { members, without }: EntryMembers): string {
  const changes: Splice[] = [];
  const added: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    const pair = own.pairs.find(({ path }) => path[0] === name);
    if (pair === undefined) added.push(`${name} = ${rendered(value)}${lineEnding(text)}`);
    else if (pair.path.length > 1) throw new NotEditable('form');
    else if (JSON.stringify(getStaticTOMLValue(pair.value)) !== JSON.stringify(value)) {
      changes.push([...pair.value.range, rendered(value)]);
    }
  }
  const isOut = ([first = '', second]: readonly string[]) =>
    without.includes(first) || without.includes(`${first}/${second?.toLowerCase()}`);
  const drop = ({ start, end }: Pair | Table) => changes.push([start, end, '']);
  for (const pair of own.pairs) {
    const { path, value } = pair;
    const all = value.type === 'TOMLInlineTable' ? Object.entries(membersOf(getStaticTOMLValue(value))) : [];
    const left = all.filter(([name]) => !isOut([...path, name]));
    if (isOut(path) || (all.length > 0 && left.length === 0)) drop(pair);
    else if (left.length < all.length) changes.push([...value.range, rendered(Object.fromEntries(left) as PlainJson)]);
  }
  for (const table of below) {
    const [name = ''] = table.path.slice(own.path.length);
    const out = table.pairs.filter((pair) => isOut([name, ...pair.path]));
    if (without.includes(name) || (out.length > 0 && out.length === table.pairs.length)) drop(table);
    else out.forEach(drop);
  }
  const newLines = `${missingEnding(text.slice(0, own.end))}${added.join('')}`;
  if (added.length > 0) changes.push([own.end, own.end, newLines]);
  return splice(text, ...changes);
}

/** Strings as basic strings: JSON's escapes are among TOML's, but for DEL, which has to be escaped here. */
function rendered(value: PlainJson): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(', ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value).map(([name, inner]) => `${keyOf(name)} = ${rendered(inner)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function keyOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : rendered(name);
}
