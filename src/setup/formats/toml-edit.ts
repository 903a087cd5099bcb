import {
  appendLines,
  type Edited,
  type EditProblem,
  edited,
  type FoundEntry,
  lineEnding,
  notEdited,
  type Splice,
  splice,
} from './edited.js';
import { type TomlStatement, tomlStatements } from './toml-statements.js';

/** What a table is to hold; pairs that are not named stay as they are. */
export interface TomlEntry {
  readonly members: Readonly<Record<string, string | readonly string[]>>;
  /** Pairs and tables below this one that must not be there. A name in such a table stands behind a slash: any letter case of it. */
  readonly without: readonly string[];
}

type Pair = TomlStatement & { kind: 'pair' };

interface Table {
  /** From its header to behind the last pair of it and of the tables below it. */
  readonly start: number;
  readonly end: number;
  /** Behind its own last pair, or its header. */
  readonly bodyEnd: number;
  readonly pairs: readonly Pair[];
  /** Tables below it: name of the next level, and where it stands. */
  readonly below: readonly {
    readonly name: string;
    readonly start: number;
    readonly end: number;
    readonly pairs: readonly Pair[];
  }[];
}

type FoundTable = { readonly table: Table | undefined } | { readonly problem: EditProblem };

/** The text of the table of that name, with the tables below it. */
export function findToml(text: string, path: readonly string[]): FoundEntry {
  const found = tableOf(text, path);
  if ('problem' in found) return notEdited(found.problem);
  const { table } = found;
  return { ok: true, raw: table && text.slice(table.start, table.end) };
}

/** Puts a table there: changes the pairs that differ in it, or appends it. */
export function putToml(text: string, path: readonly string[], entry: TomlEntry): Edited {
  const found = tableOf(text, path);
  if ('problem' in found) return notEdited(found.problem);
  const lines = Object.entries(entry.members).map(([name, value]) => `${name} = ${written(value)}`);
  const { table } = found;
  if (table === undefined) {
    return edited(appendLines(text, [`[${path.map(nameWritten).join('.')}]`, ...lines]));
  }
  const eol = lineEnding(text);
  const changes: Splice[] = [];
  const added: string[] = [];
  for (const [name, value] of Object.entries(entry.members)) {
    const [pair, ...others] = table.pairs.filter(({ path: at }) => at[0] === name);
    if (others.length > 0 || (pair !== undefined && pair.path.length > 1)) return notEdited('form');
    if (pair === undefined) added.push(`${name} = ${written(value)}${eol}`);
    else if (!says(text.slice(pair.valueStart, pair.valueEnd), value)) {
      changes.push({ start: pair.valueStart, end: pair.valueEnd, text: written(value) });
    }
  }
  const isOut = (at: readonly string[]) =>
    entry.without.includes(at[0] ?? '') || entry.without.includes(`${at[0]}/${at[1]?.toLowerCase()}`);
  for (const { path: at, start, end, valueStart, valueEnd } of table.pairs) {
    if (isOut(at) || isOnly(at, text.slice(valueStart, valueEnd), entry))
      changes.push({ start, end, text: '' });
  }
  for (const { name, start, end, pairs } of table.below) {
    const out = pairs.filter(({ path: at }) => isOut([name, ...at]));
    if (entry.without.includes(name) || (out.length > 0 && out.length === pairs.length)) {
      changes.push({ start, end, text: '' });
    } else changes.push(...out.map((pair) => ({ start: pair.start, end: pair.end, text: '' })));
  }
  if (added.length > 0) {
    const broken = text.slice(0, table.bodyEnd).endsWith('\n') ? '' : eol;
    changes.push({ start: table.bodyEnd, end: table.bodyEnd, text: `${broken}${added.join('')}` });
  }
  return edited(splice(text, changes));
}

/** Is it an inline table with nothing but what must not be there? One with more is not edited here. */
function isOnly(at: readonly string[], literal: string, entry: TomlEntry): boolean {
  const name = /^\{\s*["']?([A-Za-z-]+)["']?\s*=\s*(?:"[^"]*"|'[^']*')\s*,?\s*\}$/.exec(literal)?.[1];
  return at.length === 1 && name !== undefined && entry.without.includes(`${at[0]}/${name.toLowerCase()}`);
}

/** Puts back the text of the table, or takes away what was added. */
export function restoreToml(text: string, path: readonly string[], former: string | undefined): Edited {
  const found = tableOf(text, path);
  if ('problem' in found || found.table === undefined) return notEdited('shape');
  const { start, end } = found.table;
  if (former !== undefined) return edited(splice(text, [{ start, end, text: former }]));
  const before = text.slice(0, start).replace(/\r?\n(?=\r?\n$)/, '');
  return edited(`${before}${text.slice(end)}`);
}

/** What the pairs of a table say, strings of one line only; for reading. */
export function tomlStrings(text: string, path: readonly string[]): Readonly<Record<string, string>> {
  const found = tableOf(text, path);
  const pairs = 'table' in found ? (found.table?.pairs ?? []) : [];
  return Object.fromEntries(
    pairs.flatMap(({ path: at, valueStart, valueEnd }) => {
      const value = stringValue(text.slice(valueStart, valueEnd));
      return value === undefined ? [] : [[at.join('.'), value] as const];
    }),
  );
}

/** The pairs of a table: strings as what they say, anything else as it is written. */
export function tomlValues(text: string, path: readonly string[]): Readonly<Record<string, string>> {
  const found = tableOf(text, path);
  const pairs = 'table' in found ? (found.table?.pairs ?? []) : [];
  return Object.fromEntries(
    pairs.map(({ path: at, valueStart, valueEnd }) => {
      const literal = text.slice(valueStart, valueEnd);
      return [at.join('.'), stringValue(literal) ?? literal] as const;
    }),
  );
}

/** Names of the tables right below `path`. */
export function tomlTables(text: string, path: readonly string[]): readonly string[] {
  const names = (tomlStatements(text) ?? []).flatMap((one) =>
    one.kind === 'table' && startsWith(one.path, path) ? (one.path[path.length] ?? []) : [],
  );
  return [...new Set(names)];
}

function tableOf(text: string, path: readonly string[]): FoundTable {
  const statements = tomlStatements(text);
  if (statements === undefined) return { problem: 'unreadable' };
  let current: readonly string[] = [];
  let own: { start: number; end: number; bodyEnd: number; pairs: Pair[] } | undefined;
  const below: { name: string; start: number; end: number; pairs: Pair[] }[] = [];
  let apart = false;
  for (const one of statements) {
    if (one.kind === 'blank') continue;
    if (one.kind !== 'pair') {
      current = one.path;
      const isOwn = isSame(current, path);
      if (isOwn && (own !== undefined || below.length > 0 || one.kind === 'array'))
        return { problem: 'form' };
      if (isOwn) own = { start: one.start, end: one.end, bodyEnd: one.end, pairs: [] };
      else if (startsWith(current, path)) {
        if (own === undefined || apart) return { problem: 'form' };
        below.push({ name: current[path.length] ?? '', start: one.start, end: one.end, pairs: [] });
        own.end = one.end;
      } else if (own !== undefined) apart = true;
      continue;
    }
    const full = [...current, ...one.path];
    if (isSame(current, path) && own !== undefined) {
      own.pairs.push(one);
      own.bodyEnd = one.end;
      own.end = one.end;
    } else if (startsWith(current, path) && own !== undefined) {
      const last = below.at(-1);
      if (last !== undefined) {
        last.end = one.end;
        last.pairs.push(one);
      }
      own.end = one.end;
    } else if (startsWith(full, path) || startsWith(path, full) || isSame(path, full)) {
      return { problem: 'form' };
    }
  }
  return { table: own && { ...own, below } };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

/** Is `path` below `above`? */
function startsWith(path: readonly string[], above: readonly string[]): boolean {
  return path.length > above.length && above.every((name, index) => name === path[index]);
}

function nameWritten(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : basic(name);
}

function written(value: string | readonly string[]): string {
  return typeof value === 'string' ? basic(value) : `[${value.map(basic).join(', ')}]`;
}

/** A basic string: JSON's escapes are among TOML's, but for DEL, which has to be escaped here. */
function basic(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

function says(literal: string, value: string | readonly string[]): boolean {
  return literal === written(value) || stringValue(literal) === value;
}

function stringValue(literal: string): string | undefined {
  if (/^'(?!'')[^'\n]*'$/.test(literal)) return literal.slice(1, -1);
  if (!/^"(?!"")(?:[^"\\\n]|\\["\\bfnrtu])*"$/.test(literal)) return undefined;
  try {
    return String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}
