import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import {
  isBlank,
  lineEnding,
  lineStart,
  membersOf,
  NotEditable,
  type OpenedText,
  type PlainJson,
  splice,
  valueAt,
  valueWithout,
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

/** The entry at `path`; where something above it is missing, it is made with it. @throws NotEditable */
export function openJson(text: string, path: readonly string[]): OpenedText<string> {
  const filled = isBlank(text) ? `${text}{}${lineEnding(text)}` : text;
  const { member } = locate(filled, path);
  const whole = readJson(filled);
  const value = valueAt(whole, path);
  return {
    raw: member && filled.slice(member.value.offset, member.end),
    value,
    rest: valueWithout(whole, path),
    put: ({ members, without }) => {
      if (member === undefined) return setAt(filled, path, members);
      if (member.value.type !== 'object') throw new NotEditable('shape');
      const gone = without.flatMap((name) => pathsOf(membersOf(value), name));
      const left = gone.reduce((now, inner) => dropAt(now, [...path, ...inner]), filled);
      return Object.entries(members).reduce((now, [name, wanted]) => setAt(now, [...path, name], wanted), left);
    },
    restore: (former) => {
      if (former?.raw === undefined || member === undefined) return dropAt(text, path);
      return splice(text, [member.value.offset, member.end, former.raw]);
    },
  };
}

/** What a text means. Most have no comments, and those `JSON.parse` reads twenty times as fast. @throws NotEditable */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return JSON.parse(JSON.stringify(getNodeValue(rootOf(text))));
  }
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

function membersIn(text: string, object: Node): readonly Member[] {
  return (object.children ?? []).flatMap(({ offset: start, children: [key, value] = [] }) => {
    if (key === undefined || value === undefined) return [];
    const end = value.offset + value.length;
    const next = skip(trivia, text, end);
    return [{ name: key.value, start, value, end, comma: text[next] === ',' ? next : undefined }];
  });
}

function locate(text: string, path: readonly string[]): Location {
  let parent = rootOf(text);
  for (const [index, name] of path.entries()) {
    if (parent.type !== 'object') break;
    const [member, another] = membersIn(text, parent).filter((one) => one.name === name);
    if (another !== undefined) throw new NotEditable('duplicate');
    const isLast = index === path.length - 1;
    if (member === undefined || isLast) return { parent, member, missing: path.slice(index) };
    parent = member.value;
  }
  throw new NotEditable('shape');
}

/** Where in an entry a member of `without` is: `a/b` is the member `b`, in any letter case, of the member `a`. */
function pathsOf(entry: Readonly<Record<string, unknown>>, name: string): readonly (readonly string[])[] {
  const [first = '', second] = name.split('/');
  if (!(first in entry)) return [];
  const inner = Object.keys(membersOf(entry[first]));
  const matches = inner.filter((one) => one.toLowerCase() === second);
  if (second === undefined || (matches.length > 0 && matches.length === inner.length)) return [[first]];
  return matches.map((one) => [first, one]);
}

function setAt(text: string, path: readonly string[], value: PlainJson): string {
  const { parent, member, missing } = locate(text, path);
  if (member !== undefined) {
    if (JSON.stringify(getNodeValue(member.value)) === JSON.stringify(value)) return text;
    return splice(text, [member.value.offset, member.end, rendered(text, value, indentAt(text, member.start))]);
  }
  const [name, ...inner] = missing;
  const nested = inner.reduceRight<PlainJson>((last, key) => ({ [key]: last }), value);
  return insertMember(text, parent, (indent) => `${JSON.stringify(name)}: ${rendered(text, nested, indent)}`);
}

/** A value over several lines, in the text's own indentation and line ending; without an indentation, in one line. */
function rendered(text: string, value: PlainJson, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, indentUnit(text)).split('\n');
  return lines.join(`${lineEnding(text)}${indent}`);
}

/** Adds a member behind the last one of an object, laid out as that one is. */
function insertMember(text: string, object: Node, member: (indent: string | undefined) => string): string {
  const last = membersIn(text, object).at(-1);
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
function dropAt(text: string, path: readonly string[]): string {
  const { parent: object, member } = locate(text, path);
  if (member === undefined) throw new NotEditable('shape');
  const { start: from, end: to, comma } = member;
  const members = membersIn(text, object);
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
