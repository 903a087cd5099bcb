import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import {
  type EntryMembers,
  lineEnd,
  lineEnding,
  lineStart,
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

interface Table {
  readonly path: readonly string[];
  readonly isArray: boolean;
  readonly pairs: readonly Pair[];
  /** From its header to behind its last pair. */
  readonly start: number;
  readonly end: number;
}

/** The table of an entry, and the tables right behind it that belong to it. */
interface EntryTables {
  readonly own: Table | undefined;
  readonly below: readonly Table[];
}

/** What a text means. @throws NotEditable */
export function readToml(text: string): unknown {
  return getStaticTOMLValue(programOf(text));
}

/** The table of that name, with the tables below it. @throws NotEditable */
export function openToml(text: string, path: readonly string[]): OpenedText<string> {
  const tables = tablesOf(text);
  const { own, below } = entryTables(tables, path);
  const end = below.at(-1)?.end ?? own?.end ?? 0;
  const whole = readToml(text);
  return {
    raw: own && text.slice(own.start, end),
    value: own && valueAt(whole, path),
    rest: valueWithout(whole, path),
    put: (entry) => (own === undefined ? appended(text, path, entry) : changed(text, { own, below }, entry)),
    restore: (former) => {
      if (own === undefined) throw new NotEditable('shape');
      if (former !== undefined) return splice(text, [own.start, end, former]);
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

/** Every table in its order; the pairs before the first header are one without a name. */
function tablesOf(text: string): readonly Table[] {
  const pairOf = (pair: AST.TOMLKeyValue): Pair => ({
    path: namesIn(pair.key),
    start: lineStart(text, pair.range[0]),
    end: lineEnd(text, pair.range[1]),
    value: pair.value,
  });
  const { body } = programOf(text).body[0];
  const root = body.flatMap((one) => (one.type === 'TOMLKeyValue' ? [pairOf(one)] : []));
  const tables = body.flatMap((one): readonly Table[] => {
    if (one.type !== 'TOMLTable') return [];
    const pairs = one.body.map(pairOf);
    const end = pairs.at(-1)?.end ?? lineEnd(text, one.key.range[1]);
    const isArray = one.kind === 'array';
    return [{ path: namesIn(one.key), isArray, pairs, start: lineStart(text, one.range[0]), end }];
  });
  return [{ path: [], isArray: false, pairs: root, start: 0, end: 0 }, ...tables];
}

function namesIn(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((name) => (name.type === 'TOMLBare' ? name.name : name.value));
}

/** A table that is named otherwise than by one header of its own, or lies apart from it, is not edited here. */
function entryTables(tables: readonly Table[], path: readonly string[]): EntryTables {
  const at = tables.findIndex((table) => isSame(table.path, path));
  const own = tables[at];
  const next = own === undefined ? [] : tables.slice(at + 1);
  const apart = next.findIndex((table) => !isBelow(table.path, path));
  const below = apart === -1 ? next : next.slice(0, apart);
  const isElsewhere = tables.some((table) => {
    if (table === own || below.includes(table)) return false;
    if (isSame(table.path, path) || isBelow(table.path, path)) return true;
    if (table.isArray && isBelow(path, table.path)) return true;
    const pairs = table.pairs.map((pair) => [...table.path, ...pair.path]);
    return pairs.some((pair) => isSame(pair, path) || isBelow(pair, path) || isBelow(path, pair));
  });
  if (isElsewhere || own?.isArray === true) throw new NotEditable('form');
  return { own, below };
}

function appended(text: string, path: readonly string[], { members }: EntryMembers): string {
  const eol = lineEnding(text);
  const name = path.map((one) => (/^[A-Za-z0-9_-]+$/.test(one) ? one : rendered(one))).join('.');
  const lines = [`[${name}]`, ...Object.entries(members).map(([key, value]) => `${key} = ${rendered(value)}`)];
  const gap = withoutMark(text).trim() === '' && !text.includes('\n') ? '' : eol;
  return `${text}${missingEnding(text)}${gap}${lines.join(eol)}${eol}`;
}

/** Changes the pairs that differ, adds those that are missing, removes those of `without`. */
function changed(text: string, { own, below }: EntryTables & { own: Table }, entry: EntryMembers): string {
  const changes: Splice[] = [];
  const added: string[] = [];
  for (const [name, value] of Object.entries(entry.members)) {
    const [pair, another] = own.pairs.filter(({ path }) => path[0] === name);
    if (another !== undefined || (pair !== undefined && pair.path.length > 1)) throw new NotEditable('form');
    if (pair === undefined) {
      added.push(`${name} = ${rendered(value)}${lineEnding(text)}`);
      continue;
    }
    const isThere = JSON.stringify(getStaticTOMLValue(pair.value)) === JSON.stringify(value);
    if (!isThere) changes.push([...pair.value.range, rendered(value)]);
  }
  const isOut = ([first = '', second]: readonly string[]) =>
    entry.without.includes(first) || entry.without.includes(`${first}/${second?.toLowerCase()}`);
  const drop = ({ start, end }: Pair | Table) => changes.push([start, end, '']);
  own.pairs.filter((pair) => isOut(pair.path) || isOut(onlyOne(pair))).forEach(drop);
  for (const table of below) {
    const [name = ''] = table.path.slice(own.path.length);
    const out = table.pairs.filter((pair) => isOut([name, ...pair.path]));
    if (entry.without.includes(name) || (out.length > 0 && out.length === table.pairs.length)) drop(table);
    else out.forEach(drop);
  }
  const newLines = `${missingEnding(text.slice(0, own.end))}${added.join('')}`;
  if (added.length > 0) changes.push([own.end, own.end, newLines]);
  return splice(text, ...changes);
}

/** The path of an inline table's only pair. One with more is not edited here. */
function onlyOne({ path, value }: Pair): readonly string[] {
  const [inner, another] = value.type === 'TOMLInlineTable' ? value.body : [];
  return inner === undefined || another !== undefined ? [] : [...path, ...namesIn(inner.key)];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return path.length > above.length && isSame(path.slice(0, above.length), above);
}

/** Strings as basic strings: JSON's escapes are among TOML's, but for DEL, which has to be escaped here. */
function rendered(value: PlainJson): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(', ')}]`;
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}
