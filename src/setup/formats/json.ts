import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import {
  ifEditable,
  isBlank,
  lineEnding,
  lineStart,
  NotEditable,
  type OpenedText,
  type PlainJson,
  splice,
  withoutMark,
} from './text.js';

interface Member {
  readonly name: string;
  readonly start: number;
  readonly value: Node;
  readonly end: number;
  /** Offset of the comma behind it. */
  readonly comma: number | undefined;
}

/** Where a path leads to. Without `member`, the first of the `missing` names is not in `parent`. */
interface Location {
  readonly parent: Node;
  readonly member: Member | undefined;
  readonly missing: readonly string[];
}

const trivia = /(?:\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const triviaOfLine = /(?:[ \t]+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;

/** The value at that path of a JSON text with comments; undefined where there is nothing, or no such text. */
export function jsonAt(text: string, path: readonly string[]): unknown {
  return valueAt(
    ifEditable(() => readValue(text)),
    path,
  );
}

/** What lies at that path of objects. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const [name, ...inner] = path;
  if (name === undefined) return value;
  return isMap && Object.hasOwn(value, name)
    ? valueAt((value as Readonly<Record<string, unknown>>)[name], inner)
    : undefined;
}

/** The entry at `path`; where something above it is missing, it is made with it. @throws NotEditable */
export function openJson(text: string, path: readonly string[]): OpenedText<string> {
  const filled = isBlank(text) ? `${text}{}${lineEnding(text)}` : text;
  const location = locate(filled, rootOf(filled), path);
  const { parent, member } = location;
  return {
    raw: member && filled.slice(member.value.offset, member.end),
    value: member && plainValue(member.value),
    get rest() {
      return valueWithout(readValue(filled), path);
    },
    put: ({ members, without }) => {
      if (member === undefined) return setMember(filled, location, members);
      if (member.value.type !== 'object') throw new NotEditable('shape');
      // The entry alone is read again after each change: the file may be large.
      const inEntry = (now: string, name: string) => {
        const { offset, length } = member.value;
        const entry = rootOf(now.slice(offset, offset + length + now.length - filled.length));
        return locate(now, movedBy(offset, entry), [name]);
      };
      const rest = without.reduce((now, name) => {
        const [first = '', second] = name.split('/');
        return dropMember(now, inEntry(now, first), second);
      }, filled);
      return Object.entries(members).reduce((now, [name, value]) => setMember(now, inEntry(now, name), value), rest);
    },
    restore: (former) => {
      if (member === undefined) throw new NotEditable('shape');
      return former === undefined
        ? removeMember(text, parent, member)
        : splice(text, [member.value.offset, member.end, former]);
    },
  };
}

/** With comments, and commas before a closing bracket. */
function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
  } catch {
    // brackets by the thousand
  }
  if (root === undefined || errors.length > 0) throw new NotEditable('unreadable');
  return root;
}

/** What a text means. Most have no comments, and those `JSON.parse` reads twenty times as fast. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return plainValue(rootOf(text));
  }
}

function movedBy(offset: number, node: Node): Node {
  const children = node.children?.map((child) => movedBy(offset, child));
  return { ...node, offset: node.offset + offset, ...(children === undefined ? {} : { children }) };
}

function membersOf(text: string, object: Node): readonly Member[] {
  return (object.children ?? []).flatMap(({ offset: start, children: [key, value] = [] }) => {
    if (key === undefined || value === undefined) return [];
    const end = value.offset + value.length;
    const next = skip(trivia, text, end);
    return [{ name: key.value, start, value, end, comma: text[next] === ',' ? next : undefined }];
  });
}

function locate(text: string, root: Node, path: readonly string[]): Location {
  let parent = root;
  for (const [index, name] of path.entries()) {
    if (parent.type !== 'object') break;
    const [member, another] = membersOf(text, parent).filter((one) => one.name === name);
    if (another !== undefined) throw new NotEditable('duplicate');
    const isLast = index === path.length - 1;
    if (member === undefined || isLast) return { parent, member, missing: path.slice(index) };
    parent = member.value;
  }
  throw new NotEditable('shape');
}

function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const members = (node.children ?? []).map(({ children: [key, value] = [] }) => [
    key?.value,
    value && plainValue(value),
  ]);
  return Object.fromEntries(members);
}

/** A value without what is at `path`, and without the objects that are empty then. */
export function valueWithout(value: unknown, [name = '', ...inner]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || !(name in value)) return value;
  const { [name]: member, ...others } = value as Readonly<Record<string, unknown>>;
  const left = inner.length === 0 ? {} : valueWithout(member, inner);
  const isEmpty = typeof left === 'object' && left !== null && Object.keys(left).length === 0;
  return isEmpty ? others : { ...others, [name]: left };
}

function setMember(text: string, { parent, member, missing }: Location, value: PlainJson): string {
  if (member !== undefined) {
    if (JSON.stringify(plainValue(member.value)) === JSON.stringify(value)) return text;
    return splice(text, [member.value.offset, member.end, rendered(text, value, indentAt(text, member.start))]);
  }
  const [name, ...inner] = missing;
  const nested = inner.reduceRight<PlainJson>((last, key) => ({ [key]: last }), value);
  return insertMember(text, parent, (indent) => `${JSON.stringify(name)}: ${rendered(text, nested, indent)}`);
}

/** Removes a member, or its member `second` in any letter case, and the whole when it is empty then. */
function dropMember(text: string, { parent, member }: Location, second: string | undefined): string {
  if (member === undefined) return text;
  if (second === undefined) return removeMember(text, parent, member);
  const members = member.value.type === 'object' ? membersOf(text, member.value) : [];
  const [match, another] = members.filter(({ name }) => name.toLowerCase() === second);
  if (match === undefined) return text;
  if (another !== undefined) throw new NotEditable('duplicate');
  return members.length === 1 ? removeMember(text, parent, member) : removeMember(text, member.value, match);
}

/** A value over several lines, in the text's own indentation and line ending; without an indentation, in one line. */
function rendered(text: string, value: PlainJson, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, indentUnit(text)).split('\n');
  return lines.join(`${lineEnding(text)}${indent}`);
}

/** Adds a member behind the last one of an object, laid out as that one is. */
function insertMember(text: string, object: Node, member: (indent: string | undefined) => string): string {
  const last = membersOf(text, object).at(-1);
  if (last === undefined) return insertFirst(text, object, member);
  const { start, end, comma } = last;
  const next = comma === undefined ? end : comma + 1;
  if (!beginsLine(text, start)) {
    return splice(text, [next, next, `${comma === undefined ? ', ' : ' '}${member(undefined)}`]);
  }
  const indent = indentAt(text, start);
  const at = skip(triviaOfLine, text, next); // a comment stays with its member
  const line = `${lineEnding(text)}${indent}${member(indent)}`;
  return comma === undefined ? splice(text, [end, end, ','], [at, at, line]) : splice(text, [at, at, `${line},`]);
}

/** Comments in an empty object stay before the member; an object in a text of one line stays in that line. */
function insertFirst(text: string, object: Node, member: (indent: string | undefined) => string): string {
  const start = object.offset + 1;
  const end = object.offset + object.length - 1;
  const isInner = !isBlank(text.slice(0, object.offset));
  if (isInner && !text.trim().includes('\n')) return splice(text, [end, end, member(undefined)]);
  const eol = lineEnding(text);
  const outer = indentAt(text, object.offset);
  const indent = `${outer}${indentUnit(text)}`;
  const inside = text.slice(start, end).trimEnd();
  return splice(text, [start, end, `${inside}${eol}${indent}${member(indent)}${eol}${outer}`]);
}

/** Removes a member and one comma, and the line that it had for itself. */
function removeMember(text: string, object: Node, { start: from, end: to, comma }: Member): string {
  const members = membersOf(text, object);
  const before = members[members.findIndex(({ start }) => start === from) - 1];
  const hasLine = beginsLine(text, from);
  const start = from - (hasLine ? (/(?:\r?\n)?[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0) : 0);
  const end = comma === undefined ? to : comma + 1;
  if (members.length === 1) {
    const inner = [object.offset + 1, object.offset + object.length - 1] as const;
    const left = text.slice(inner[0], start) + text.slice(end, inner[1]);
    return splice(text, [...inner, left.trim() === '' ? '' : left]);
  }
  const blanks = hasLine ? 0 : (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);
  if (comma !== undefined || before?.comma === undefined) return splice(text, [start, end + blanks, '']);
  if (!hasLine) return splice(text, [before.comma, end, '']);
  return splice(text, [before.comma, before.comma + 1, ''], [start, end, '']);
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
