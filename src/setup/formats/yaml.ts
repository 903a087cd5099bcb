import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
  visit,
  type YAMLMap,
} from 'yaml';
import {
  type EntryMembers,
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
} from './text.js';

/** Offsets of whole lines. */
interface Lines {
  readonly start: number;
  readonly end: number;
}

/** A name of a map in block style, with its value: the lines that they have for themselves. */
interface Named extends Lines {
  readonly name: string;
  readonly indent: string;
  readonly value: Node | null;
}

/** What a text means. @throws NotEditable */
export function readYaml(text: string): unknown {
  return documentOf(text).value;
}

/**
 * The entry of a list of entries, by names: `[list, entry]`. Edited in block style alone, as programs write it that lay
 * their file out anew; entries of another style are left as they are.
 * @throws NotEditable
 */
export function openYaml(text: string, path: readonly string[]): OpenedText<string> {
  const [listName = '', name = ''] = path;
  const { value: all, root } = documentOf(text);
  const list = root && namedIn(text, root).find((one) => one.name === listName);
  const entries = list === undefined ? [] : entriesOf(text, list);
  const entry = entries.find((one) => one.name === name);
  const value = valueAt(all, path);
  if (entry === undefined && value !== undefined) throw new NotEditable('form');
  return {
    raw: entry && text.slice(entry.start, entry.end),
    value,
    rest: valueWithout(entries.length === 0 ? { ...all, [listName]: {} } : all, path),
    put: (holds) => {
      if (entry !== undefined) return changed(text, entry, value, holds);
      const [first] = entries;
      const indent = first?.indent ?? '  ';
      const block = entryLines(name, holds.members, indent, lineEnding(text));
      const last = entries.at(-1);
      if (last !== undefined) return splice(text, [last.end, last.end, missingEnding(text.slice(0, last.end)) + block]);
      const whole = `${listName}:${lineEnding(text)}${block}`;
      if (list !== undefined) return splice(text, [list.start, list.end, whole]);
      return `${text}${missingEnding(text)}${whole}`;
    },
    restore: (former) => {
      if (entry === undefined || list === undefined) throw new NotEditable('shape');
      if (former !== undefined) return splice(text, [entry.start, entry.end, reindented(former, entry.indent)]);
      const removed = [entry.start, entry.end, ''] as const;
      if (entries.length > 1) return splice(text, removed);
      const head = [list.start, lineEnd(text, list.start), `${listName}: {}${lineEnding(text)}`] as const;
      return splice(text, head, removed);
    },
  };
}

/** One document with a map in block style at the margin, or nothing yet. */
function documentOf(text: string): { readonly value: object; readonly root: YAMLMap | undefined } {
  const other = new NotEditable('form');
  if (/\r(?!\n)|^\t|^\.\.\./m.test(text)) throw other;
  try {
    const [document, another] = documentsIn(text);
    if (document === undefined || document.contents === null) return { value: {}, root: undefined };
    const { contents, errors } = document;
    if (another !== undefined || errors.length > 0) throw new NotEditable('unreadable');
    if (!isMap(contents) || contents.flow === true) throw other;
    return { value: document.toJS(), root: contents };
  } catch (error) {
    throw error instanceof NotEditable ? error : other; // also for brackets, or aliases, by the thousand
  }
}

/** The names of a map that begin a line of their own, in its order. */
function namedIn(text: string, map: YAMLMap): readonly Named[] {
  return map.items.map((pair) => namedOf(text, pair));
}

function namedOf(text: string, { key, value }: Pair): Named {
  const at = (isScalar(key) && key.range?.[0]) || 0;
  const start = lineStart(text, at);
  const indent = text.slice(start, at);
  if (!isScalar(key) || !/^ *$/.test(indent) || (value !== null && !isNode(value))) throw new NotEditable('form');
  const last = Math.max(key.range?.[1] ?? at, lastOffset(value));
  return { name: String(key.value), indent, value, start, end: lineEnd(text, Math.max(at, last - 1)) };
}

/** The entries of a list: of an empty one none. */
function entriesOf(text: string, { value, start, indent }: Named): readonly Named[] {
  if (value === null || (isScalar(value) && value.value === null)) return [];
  if (!isMap(value) || value.tag !== undefined || value.anchor !== undefined) throw new NotEditable('form');
  if (value.items.length === 0) return [];
  const entries = namedIn(text, value);
  const isBelow = entries.every((one) => one.start > start && one.indent.length > indent.length);
  if (value.flow === true || !isBelow) throw new NotEditable('form');
  return entries;
}

/** Changes the members that differ, adds those that are missing, removes those of `without`. */
function changed(text: string, entry: Named, value: unknown, { members, without }: EntryMembers): string {
  const there = entriesOf(text, entry);
  const now = membersOf(value);
  const indent = there[0]?.indent ?? `${entry.indent}  `;
  const eol = lineEnding(text);
  const changes: Splice[] = [];
  let added = '';
  for (const [name, wanted] of Object.entries(members)) {
    const member = there.find((one) => one.name === name);
    const lines = memberLines(name, wanted, indent, eol);
    if (member === undefined) added += lines;
    else if (JSON.stringify(now[name]) !== JSON.stringify(wanted)) changes.push([member.start, member.end, lines]);
  }
  for (const member of there) if (without.includes(member.name)) changes.push([member.start, member.end, '']);
  const isEmpty = there.length === 0;
  if (isEmpty) return splice(text, [entry.start, entry.end, entryLines(entry.name, members, entry.indent, eol)]);
  if (added !== '') changes.push([entry.end, entry.end, missingEnding(text.slice(0, entry.end)) + added]);
  return splice(text, ...changes);
}

function entryLines(name: string, members: EntryMembers['members'], indent: string, eol: string): string {
  const lines = Object.entries(members).map(([member, value]) => memberLines(member, value, `${indent}  `, eol));
  return `${indent}${rendered(name)}:${eol}${lines.join('')}`;
}

function memberLines(name: string, value: PlainJson, indent: string, eol: string): string {
  if (!Array.isArray(value) || value.length === 0) return `${indent}${name}: ${rendered(value)}${eol}`;
  const items = value.map((item) => `${indent}- ${rendered(item)}${eol}`);
  return `${indent}${name}:${eol}${items.join('')}`;
}

/** Strings in double quotes, in which YAML takes JSON's escapes; plain names as they are. */
function rendered(value: PlainJson): string {
  const isPlain = typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value);
  const isWord = isPlain && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(value);
  return isWord ? value : JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

/**
 * The documents of a text. To find a name that is twice in a map, the library compares each with all others.
 * @throws NotEditable
 */
export function documentsIn(text: string, options: ParseOptions & SchemaOptions = {}) {
  const documents = [...parseAllDocuments(text, { ...options, logLevel: 'silent', uniqueKeys: false })];
  for (const document of documents) {
    visit(document, {
      Map: (_, { items }) => {
        const names = items.flatMap(({ key }) => (isScalar(key) ? [key.value] : []));
        if (new Set(names).size < names.length) throw new NotEditable('unreadable');
      },
    });
  }
  return documents;
}

/** Behind the last value in a node; comments behind it are not part of it. */
function lastOffset(item: unknown): number {
  let last = 0;
  if (!isNode(item)) return last;
  visit(item, {
    Node: (_, node) => {
      const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0;
      if (!isBlock) last = Math.max(last, node.range?.[1] ?? 0);
    },
  });
  return last;
}

/** A block in the indentation that it has to have now. */
function reindented(block: string, indent: string): string {
  const own = /^ */.exec(block)?.[0] ?? '';
  return block.replace(/^ *(?=\S)/gm, (spaces) => `${indent}${spaces.slice(own.length)}`);
}
