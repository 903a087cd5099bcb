import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import {
  isBlank,
  lineEnding,
  lineStart,
  membersOf,
  NotEditable,
  type OpenedText,
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
  const { parent, member, missing } = locate(filled, path);
  const whole = readJson(filled);
  return {
    raw: member && filled.slice(member.value.offset, member.end),
    value: valueAt(whole, path),
    rest: valueWithout(whole, path),
    set: (entry) => {
      if (entry === undefined) return member === undefined ? text : withoutMember(text, parent, member);
      const { raw, value } = entry;
      if (member === undefined) return withMember(filled, parent, missing, value);
      const { start, end, value: node } = member;
      if (raw === undefined && node.type === 'object') return withMembers(filled, path, node, membersOf(value));
      return splice(text, [node.offset, end, raw ?? rendered(text, value, indentAt(text, start))]);
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

/** A value over several lines, in the text's own indentation and line ending. */
function rendered(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', `${lineEnding(text)}${indent}`);
}

/** Changes what differs alone, so that a person's comments in an entry stay. */
function withMembers(
  text: string,
  path: readonly string[],
  node: Node,
  then: Readonly<Record<string, unknown>>,
): string {
  const now = membersOf(getNodeValue(node));
  return Object.keys({ ...now, ...then }).reduce((left, name) => {
    if (JSON.stringify(now[name]) === JSON.stringify(then[name])) return left;
    return openJson(left, [...path, name]).set(name in then ? { value: then[name] } : undefined);
  }, text);
}

/** Adds a member behind the last one of an object; a comment stays with the member before. */
function withMember(text: string, object: Node, [name, ...inner]: readonly string[], value: unknown): string {
  const nested = inner.reduceRight<unknown>((last, key) => ({ [key]: last }), value);
  const line = (indent: string) =>
    `${lineEnding(text)}${indent}${JSON.stringify(name)}: ${rendered(text, nested, indent)}`;
  const last = membersIn(text, object).at(-1);
  if (last === undefined) {
    const [start, end] = insideOf(object);
    const outer = indentAt(text, object.offset);
    const inside = text.slice(start, end).trimEnd();
    return splice(text, [start, end, `${inside}${line(`${outer}${indentUnit(text)}`)}${lineEnding(text)}${outer}`]);
  }
  const { start, end, comma } = last;
  const at = skip(triviaOfLine, text, comma === undefined ? end : comma + 1);
  const made = line(indentAt(text, start));
  return comma === undefined ? splice(text, [end, end, ','], [at, at, made]) : splice(text, [at, at, `${made},`]);
}

/** Removes a member, one comma, and the white space before it. */
function withoutMember(text: string, object: Node, { start: from, end: to, comma }: Member): string {
  const start = from - (/(?:\r?\n)?[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0);
  const end = comma === undefined ? to : comma + 1;
  const members = membersIn(text, object);
  if (members.length === 1) {
    const [first, last] = insideOf(object);
    const left = text.slice(first, start) + text.slice(end, last);
    return splice(text, [first, last, left.trim() === '' ? '' : left]);
  }
  const before = comma === undefined ? members.at(-2)?.comma : undefined;
  return splice(text, ...(before === undefined ? [] : [[before, before + 1, ''] as const]), [start, end, '']);
}

function insideOf({ offset, length }: Node): readonly [start: number, end: number] {
  return [offset + 1, offset + length - 1];
}

function skip(what: RegExp, text: string, from: number): number {
  what.lastIndex = from;
  return from + (what.exec(text)?.[0].length ?? 0);
}

/** The white space that the line of `at` begins with. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

/** What one level is indented by: as the first indented name is. */
function indentUnit(text: string): string {
  return /[{,][ \t]*\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}
