import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import {
  type Edited,
  edited,
  lineEnding,
  lineStart,
  type NotEdited,
  notEdited,
  type Opened,
  type Splice,
  splice,
  withoutMark,
} from './text.js';

export type PlainJson = string | boolean | number | readonly PlainJson[] | { readonly [name: string]: PlainJson };

/** What an entry is to hold; members that are not named stay as they are. */
export interface JsonEntry {
  readonly members: Readonly<Record<string, PlainJson>>;
  /** Members that must not be there. A name of the second level stands behind a slash: any letter case of it. */
  readonly without: readonly string[];
}

interface Member {
  readonly name: string;
  readonly start: number;
  readonly value: Node;
  readonly end: number;
  /** Offset of the comma behind it. */
  readonly comma: number | undefined;
}

interface Place {
  readonly root: Node;
  readonly parent: Node;
  /** Undefined: there is none, nor any of the names below it. */
  readonly member: Member | undefined;
  readonly below: readonly string[];
}

const trivia = /(?:\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const triviaOfLine = /(?:[ \t]+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;

/** What stands at that path of a JSON text with comments; undefined where there is nothing, twice something, or no such text. */
export function jsonAt(text: string, path: readonly string[]): unknown {
  if (path.length === 0) {
    const root = rootOf(text);
    return root && plainValue(root);
  }
  const place = placeOf(text, path);
  return 'problem' in place || place.member === undefined ? undefined : plainValue(place.member.value);
}

/** The entry at `path`; where something above it is missing, it is made with it. */
export function openJson(text: string, path: readonly string[]): Opened<JsonEntry> {
  const filled = isBlank(text) ? `${text}{}${lineEnding(text)}` : text;
  const place = placeOf(filled, path);
  if ('problem' in place) return place;
  const { root, parent, member } = place;
  return {
    ok: true,
    raw: member && filled.slice(member.value.offset, member.end),
    value: member && plainValue(member.value),
    rest: without(plainValue(root), path),
    put: (entry) => {
      if (member === undefined) return setJson(filled, path, entry.members);
      if (member.value.type !== 'object') return notEdited('shape');
      const drops = entry.without.map((name) => (one: string) => dropJson(one, path, name.split('/')));
      const sets = Object.entries(entry.members).map(
        ([name, value]) =>
          (one: string) =>
            setJson(one, [...path, name], value),
      );
      return [...drops, ...sets].reduce<Edited>((done, change) => (done.ok ? change(done.text) : done), edited(filled));
    },
    restore: (former) => {
      if (member === undefined) return notEdited('shape');
      return edited(
        former === undefined
          ? removeMember(text, parent, member)
          : splice(text, [{ start: member.value.offset, end: member.end, text: former }]),
      );
    },
  };
}

function isBlank(text: string): boolean {
  return withoutMark(text).trim() === '';
}

/** With comments, and commas before a closing bracket; undefined where it is none, or too deep. */
function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
    return errors.length > 0 ? undefined : root;
  } catch {
    return undefined; // brackets by the thousand
  }
}

function membersOf(text: string, object: Node): readonly Member[] {
  return (object.children ?? []).flatMap(({ offset: start, children: [key, value] = [] }) => {
    if (key === undefined || value === undefined) return [];
    const end = value.offset + value.length;
    const behind = skip(trivia, text, end);
    return [{ name: key.value, start, value, end, comma: text[behind] === ',' ? behind : undefined }];
  });
}

/** Goes along the path as far as it exists. */
function placeOf(text: string, path: readonly string[]): Place | NotEdited {
  const root = rootOf(text);
  if (root === undefined) return notEdited('unreadable');
  let parent = root;
  for (const [index, name] of path.entries()) {
    if (parent.type !== 'object') return notEdited('shape');
    const [member, ...others] = membersOf(text, parent).filter((one) => one.name === name);
    if (others.length > 0) return notEdited('duplicate');
    const below = path.slice(index + 1);
    if (member === undefined || below.length === 0) return { root, parent, member, below: [name, ...below] };
    parent = member.value;
  }
  return notEdited('shape');
}

function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const pairs = (node.children ?? []).map(({ children: [key, value] = [] }) => [
    key?.value,
    value && plainValue(value),
  ]);
  return Object.fromEntries(pairs);
}

/** A value without what is at `path`, and without the objects that are empty then. */
function without(value: unknown, [name = '', ...below]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || !(name in value)) return value;
  const { [name]: inner, ...others } = value as Readonly<Record<string, unknown>>;
  const left = below.length === 0 ? {} : without(inner, below);
  const isEmpty = typeof left === 'object' && left !== null && Object.keys(left).length === 0;
  return isEmpty ? others : { ...others, [name]: left };
}

function setJson(text: string, path: readonly string[], value: PlainJson): Edited {
  const place = placeOf(text, path);
  if ('problem' in place) return place;
  const { parent, member, below } = place;
  if (member !== undefined) {
    if (JSON.stringify(plainValue(member.value)) === JSON.stringify(value)) return edited(text);
    const indent = indentAt(text, member.start);
    const change = { start: member.value.offset, end: member.end, text: written(text, value, indent) };
    return edited(splice(text, [change]));
  }
  const [name, ...inner] = below;
  const nested = inner.reduceRight<PlainJson>((last, key) => ({ [key]: last }), value);
  return edited(insertMember(text, parent, (indent) => `${JSON.stringify(name)}: ${written(text, nested, indent)}`));
}

/** Removes `first`, or in it the member whose name is `second` in any letter case, and `first` when it is empty then. */
function dropJson(text: string, path: readonly string[], [first = '', second]: readonly string[]): Edited {
  const place = placeOf(text, [...path, first]);
  if ('problem' in place) return place;
  const { parent, member } = place;
  if (member === undefined) return edited(text);
  if (second === undefined) return edited(removeMember(text, parent, member));
  const members = member.value.type === 'object' ? membersOf(text, member.value) : [];
  const [match, ...others] = members.filter(({ name }) => name.toLowerCase() === second);
  if (match === undefined) return edited(text);
  if (others.length > 0) return notEdited('duplicate');
  const isAll = members.length === 1;
  return edited(isAll ? removeMember(text, parent, member) : removeMember(text, member.value, match));
}

/** A value over several lines, in the text's own indentation and line ending; without an indentation, in one line. */
function written(text: string, value: PlainJson, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, indentUnit(text)).split('\n');
  return lines.join(`${lineEnding(text)}${indent}`);
}

/** Adds a member behind the last one of an object, laid out as that one is. */
function insertMember(text: string, object: Node, member: (indent: string | undefined) => string): string {
  const last = membersOf(text, object).at(-1);
  if (last === undefined) return insertFirst(text, object, member);
  const { end, comma } = last;
  const behind = comma === undefined ? end : comma + 1;
  if (!beginsLine(text, last.start)) {
    const lead = comma === undefined ? ', ' : ' ';
    return splice(text, [{ start: behind, end: behind, text: `${lead}${member(undefined)}` }]);
  }
  const indent = indentAt(text, last.start);
  const at = skip(triviaOfLine, text, behind); // a comment stays with its member
  const line = `${lineEnding(text)}${indent}${member(indent)}`;
  if (comma !== undefined) return splice(text, [{ start: at, end: at, text: `${line},` }]);
  return `${text.slice(0, end)},${text.slice(end, at)}${line}${text.slice(at)}`;
}

/** Comments in an empty object stay before the member; what is written in one line stays in one. */
function insertFirst(text: string, object: Node, member: (indent: string | undefined) => string): string {
  const start = object.offset + 1;
  const end = object.offset + object.length - 1;
  const isInner = !isBlank(text.slice(0, object.offset));
  if (isInner && !text.trim().includes('\n')) return splice(text, [{ start: end, end, text: member(undefined) }]);
  const eol = lineEnding(text);
  const outer = indentAt(text, object.offset);
  const indent = `${outer}${indentUnit(text)}`;
  const inside = text.slice(start, end).trimEnd();
  return splice(text, [{ start, end, text: `${inside}${eol}${indent}${member(indent)}${eol}${outer}` }]);
}

/** Takes a member and one comma away, and the line that it had for itself. */
function removeMember(text: string, object: Node, member: Member): string {
  const members = membersOf(text, object);
  const before = members[members.findIndex(({ start }) => start === member.start) - 1];
  const end = member.comma === undefined ? member.end : member.comma + 1;
  const hasLine = beginsLine(text, member.start);
  const lead = hasLine ? /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, member.start))?.[0].length : 0;
  const start = member.start - (lead ?? 0);
  if (members.length === 1) {
    const inside = { start: object.offset + 1, end: object.offset + object.length - 1 };
    const left = text.slice(inside.start, start) + text.slice(end, inside.end);
    return splice(text, [{ ...inside, text: left.trim() === '' ? '' : left }]);
  }
  const blanks = hasLine ? 0 : (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);
  const own: Splice = { start, end: end + blanks, text: '' };
  if (member.comma !== undefined || before?.comma === undefined) return splice(text, [own]);
  if (!hasLine) return splice(text, [{ start: before.comma, end, text: '' }]);
  return splice(text, [{ start: before.comma, end: before.comma + 1, text: '' }, own]);
}

function skip(what: RegExp, text: string, from: number): number {
  what.lastIndex = from;
  return from + (what.exec(text)?.[0].length ?? 0);
}

/** The white space that the line of `at` begins with. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

function beginsLine(text: string, at: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, at), at));
}

/** What one level is indented by: as the first indented name is. */
function indentUnit(text: string): string {
  return /[{,][ \t]*\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}
