import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import {
  type Edited,
  type EditProblem,
  edited,
  lineEnd,
  lineEnding,
  lineStart,
  missingEnding,
  notEdited,
  type Opened,
  type Splice,
  splice,
  withoutMark,
} from './text.js';

/** What a table is to hold; pairs that are not named stay as they are. */
export interface TomlEntry {
  readonly members: Readonly<Record<string, string | readonly string[]>>;
  /** Pairs and tables below this one that must not be there. A name in such a table stands behind a slash: any letter case of it. */
  readonly without: readonly string[];
}

interface Pair {
  readonly path: readonly string[];
  /** Its lines, and its value among them. */
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
interface Place {
  readonly own: Table | undefined;
  readonly below: readonly Table[];
}

/** What stands at that path of a TOML text; undefined where there is nothing, or no such text. */
export function tomlAt(text: string, path: readonly string[]): unknown {
  const program = programOf(text);
  let value: unknown = program && getStaticTOMLValue(program);
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** The table of that name, with the tables below it. */
export function openToml(text: string, path: readonly string[]): Opened<TomlEntry> {
  const program = programOf(text);
  if (program === undefined) return notEdited('unreadable');
  const tables = tablesOf(text, program);
  const place = placeOf(tables, path);
  if (typeof place === 'string') return notEdited(place);
  const { own, below } = place;
  const literal = ({ value: { range } }: Pair) => text.slice(...range);
  const end = below.at(-1)?.end ?? own?.end ?? 0;
  return {
    ok: true,
    raw: own && text.slice(own.start, end),
    value:
      own && Object.fromEntries(own.pairs.map((pair) => [pair.path.join('.'), stringOf(pair.value) ?? literal(pair)])),
    rest: tables
      .filter((table) => table !== own && !below.includes(table))
      .map((table) => [table.path, table.pairs.map((pair) => [pair.path, literal(pair)])])
      .filter(([at, pairs]) => at?.length !== 0 || pairs?.length !== 0),
    put: (entry) => (own === undefined ? edited(appended(text, path, entry)) : changed(text, own, below, entry)),
    restore: (former) => {
      if (own === undefined) return notEdited('shape');
      if (former !== undefined) return edited(splice(text, [{ start: own.start, end, text: former }]));
      const before = text.slice(0, own.start).replace(/\r?\n(?=\r?\n$)/, '');
      return edited(`${before}${text.slice(end)}`);
    },
  };
}

function programOf(text: string): AST.TOMLProgram | undefined {
  try {
    return parseTOML(withoutMark(text));
  } catch {
    return undefined; // no TOML, or brackets by the thousand
  }
}

/** Every table in its order; the pairs before the first header are one without a name. */
function tablesOf(text: string, program: AST.TOMLProgram): readonly Table[] {
  const pairOf = (pair: AST.TOMLKeyValue): Pair => ({
    path: namesIn(pair.key),
    start: lineStart(text, pair.range[0]),
    end: lineEnd(text, pair.range[1]),
    value: pair.value,
  });
  const { body } = program.body[0];
  const root = body.flatMap((one) => (one.type === 'TOMLKeyValue' ? [pairOf(one)] : []));
  const tables = body.flatMap((one): readonly Table[] => {
    if (one.type !== 'TOMLTable') return [];
    const pairs = one.body.map(pairOf);
    const start = lineStart(text, one.range[0]);
    const end = pairs.at(-1)?.end ?? lineEnd(text, one.key.range[1]);
    return [{ path: namesIn(one.key), isArray: one.kind === 'array', pairs, start, end }];
  });
  return [{ path: [], isArray: false, pairs: root, start: 0, end: 0 }, ...tables];
}

function namesIn(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((name) => (name.type === 'TOMLBare' ? name.name : name.value));
}

/** Whatever names the table in another way than by a header of its own, or lies apart from it, is not edited here. */
function placeOf(tables: readonly Table[], path: readonly string[]): Place | EditProblem {
  const at = tables.findIndex((table) => isSame(table.path, path));
  const own = tables[at];
  const behind = own === undefined ? [] : tables.slice(at + 1);
  const apart = behind.findIndex((table) => !isBelow(table.path, path));
  const below = apart === -1 ? behind : behind.slice(0, apart);
  const others = tables.filter((table) => table !== own && !below.includes(table));
  const isElsewhere = others.some(
    (table) =>
      isSame(table.path, path) ||
      isBelow(table.path, path) ||
      (table.isArray && isBelow(path, table.path)) ||
      table.pairs.some((pair) => {
        const full = [...table.path, ...pair.path];
        return isSame(full, path) || isBelow(full, path) || isBelow(path, full);
      }),
  );
  return isElsewhere || own?.isArray === true ? 'form' : { own, below };
}

function appended(text: string, path: readonly string[], { members }: TomlEntry): string {
  const eol = lineEnding(text);
  const name = path.map((one) => (/^[A-Za-z0-9_-]+$/.test(one) ? one : basic(one))).join('.');
  const lines = [`[${name}]`, ...Object.entries(members).map(([key, value]) => `${key} = ${written(value)}`)];
  const gap = withoutMark(text).trim() === '' && !text.includes('\n') ? '' : eol;
  return `${text}${missingEnding(text)}${gap}${lines.join(eol)}${eol}`;
}

/** Changes the pairs that differ, adds those that are missing, takes out what would win over them. */
function changed(text: string, own: Table, below: readonly Table[], entry: TomlEntry): Edited {
  const eol = lineEnding(text);
  const changes: Splice[] = [];
  const added: string[] = [];
  for (const [name, value] of Object.entries(entry.members)) {
    const [pair, another] = own.pairs.filter(({ path }) => path[0] === name);
    if (another !== undefined || (pair !== undefined && pair.path.length > 1)) return notEdited('form');
    if (pair === undefined) {
      added.push(`${name} = ${written(value)}${eol}`);
      continue;
    }
    const [start, end] = pair.value.range;
    const isThere = text.slice(start, end) === written(value) || stringOf(pair.value) === value;
    if (!isThere) changes.push({ start, end, text: written(value) });
  }
  const isOut = ([first = '', second]: readonly string[]) =>
    entry.without.includes(first) || entry.without.includes(`${first}/${second?.toLowerCase()}`);
  const drop = ({ start, end }: Pair | Table) => changes.push({ start, end, text: '' });
  for (const pair of own.pairs) if (isOut(pair.path) || isOut(onlyOne(pair))) drop(pair);
  for (const table of below) {
    const [name = ''] = table.path.slice(own.path.length);
    const out = table.pairs.filter((pair) => isOut([name, ...pair.path]));
    if (entry.without.includes(name) || (out.length > 0 && out.length === table.pairs.length)) drop(table);
    else out.forEach(drop);
  }
  const newLines = `${missingEnding(text.slice(0, own.end))}${added.join('')}`;
  if (added.length > 0) changes.push({ start: own.end, end: own.end, text: newLines });
  return edited(splice(text, changes));
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
  return path.length > above.length && above.every((name, index) => name === path[index]);
}

function written(value: string | readonly string[]): string {
  return typeof value === 'string' ? basic(value) : `[${value.map(basic).join(', ')}]`;
}

/** A basic string: JSON's escapes are among TOML's, but for DEL, which has to be escaped here. */
function basic(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

function stringOf(node: AST.TOMLContentNode): string | undefined {
  return node.type === 'TOMLValue' && node.kind === 'string' ? node.value : undefined;
}
