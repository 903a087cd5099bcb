import {
  beginsLine,
  type Edited,
  edited,
  type FoundEntry,
  indentAt,
  indentUnit,
  lineEnding,
  lineStart,
  notEdited,
  type Splice,
  splice,
} from './edited.js';
import {
  type JsonMember,
  type JsonNode,
  type JsonObjectNode,
  jsonTree,
  memberOf,
  nodeValue,
  skipTrivia,
} from './json-tree.js';

export type PlainJson =
  | string
  | boolean
  | number
  | readonly PlainJson[]
  | { readonly [name: string]: PlainJson };

/** What an entry is to hold; members that are not named stay as they are. */
export interface JsonEntry {
  readonly members: Readonly<Record<string, PlainJson>>;
  /** Members that must not be there. A name of the second level stands behind a slash: any letter case of it. */
  readonly without: readonly string[];
}

type Place =
  | { readonly kind: 'there'; readonly member: JsonMember; readonly parent: JsonNode & { kind: 'object' } }
  | {
      readonly kind: 'missing';
      readonly parent: JsonNode & { kind: 'object' };
      readonly rest: readonly string[];
    }
  | { readonly kind: 'problem'; readonly found: Edited & { ok: false } };

/** Goes along the path as far as it exists. */
function placeOf(text: string, path: readonly string[]): Place {
  let node = jsonTree(text);
  if (node === undefined) return { kind: 'problem', found: notEdited('unreadable') };
  for (const [index, name] of path.entries()) {
    if (node.kind !== 'object') return { kind: 'problem', found: notEdited('shape') };
    const member: JsonMember | 'duplicate' | undefined = memberOf(node, name);
    if (member === 'duplicate') return { kind: 'problem', found: notEdited('duplicate') };
    if (member === undefined) return { kind: 'missing', parent: node, rest: path.slice(index) };
    if (index === path.length - 1) return { kind: 'there', member, parent: node };
    node = member.value;
  }
  return { kind: 'problem', found: notEdited('shape') };
}

/** The text of the value at `path`. */
export function findJson(text: string, path: readonly string[]): FoundEntry {
  if (isBlank(text)) return { ok: true, raw: undefined };
  const place = placeOf(text, path);
  if (place.kind === 'problem') return place.found;
  if (place.kind === 'missing') return { ok: true, raw: undefined };
  const { start, end } = place.member.value;
  return { ok: true, raw: text.slice(start, end) };
}

/** Puts an entry at `path`: changes the members that differ in it, or adds it with what is missing above it. */
export function putJson(text: string, path: readonly string[], entry: JsonEntry): Edited {
  const filled = isBlank(text) ? `${text}{}${lineEnding(text)}` : text;
  const place = placeOf(filled, path);
  if (place.kind === 'problem') return place.found;
  if (place.kind === 'missing') return setJson(filled, path, entry.members);
  if (place.member.value.kind !== 'object') return notEdited('shape');
  let result: Edited = edited(filled);
  for (const name of entry.without) {
    if (result.ok) result = dropNamed(result.text, path, name.split('/'));
  }
  for (const [name, value] of Object.entries(entry.members)) {
    if (result.ok) result = setJson(result.text, [...path, name], value);
  }
  return result;
}

/** Puts back what stood at `path`, or takes away what was added there. */
export function restoreJson(text: string, path: readonly string[], former: string | undefined): Edited {
  const place = placeOf(text, path);
  if (place.kind === 'problem') return place.found;
  if (place.kind === 'missing') return notEdited('shape');
  const { value } = place.member;
  return former === undefined
    ? edited(removeMember(text, place.parent, place.member))
    : edited(splice(text, [{ start: value.start, end: value.end, text: former }]));
}

function setJson(text: string, path: readonly string[], value: PlainJson): Edited {
  const place = placeOf(text, path);
  if (place.kind === 'problem') return place.found;
  if (place.kind === 'there') {
    const { start, end } = place.member.value;
    if (JSON.stringify(nodeValue(text, place.member.value)) === JSON.stringify(value)) return edited(text);
    const indent = indentAt(text, place.member.start);
    return edited(splice(text, [{ start, end, text: written(text, value, indent) }]));
  }
  const [name = '', ...below] = place.rest;
  const nested = below.reduceRight<PlainJson>((inner, key) => ({ [key]: inner }), value);
  return edited(
    insertMember(text, place.parent, (indent) => `${JSON.stringify(name)}: ${written(text, nested, indent)}`),
  );
}

/** A value over several lines, in the text's own indentation and line ending. */
function written(text: string, value: PlainJson, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, indentUnit(text)).split('\n');
  return lines.join(`${lineEnding(text)}${indent}`);
}

/** Removes `first`, or in it the member whose name is `second` in any letter case, and `first` when it is empty then. */
function dropNamed(text: string, path: readonly string[], [first = '', second]: readonly string[]): Edited {
  const place = placeOf(text, [...path, first]);
  if (place.kind === 'problem') return place.found;
  if (place.kind === 'missing') return edited(text);
  if (second === undefined) return edited(removeMember(text, place.parent, place.member));
  const { value } = place.member;
  if (value.kind !== 'object') return edited(text);
  const matches = value.members.filter(({ name }) => name.toLowerCase() === second);
  const [match, ...others] = matches;
  if (match === undefined) return edited(text);
  if (others.length > 0) return notEdited('duplicate');
  const isAll = value.members.length === 1;
  return edited(isAll ? removeMember(text, place.parent, place.member) : removeMember(text, value, match));
}

function isBlank(text: string): boolean {
  return text.replace(/^\ufeff/, '').trim() === '';
}

/**
 * Adds a member behind the last one of an object, laid out as its neighbours are. `member` is its text, made for an
 * indentation; without one it stands in the line of its neighbours.
 */
export function insertMember(
  text: string,
  object: JsonObjectNode,
  member: (indent: string | undefined) => string,
): string {
  const eol = lineEnding(text);
  const last = object.members.at(-1);
  if (last === undefined) {
    return insertFirst(text, object, member);
  }
  if (!beginsLine(text, last.start)) {
    const at = last.comma === undefined ? last.value.end : last.comma + 1;
    const lead = last.comma === undefined ? ', ' : ' ';
    return splice(text, [{ start: at, end: at, text: `${lead}${member(undefined)}` }]);
  }
  const indent = indentAt(text, last.start);
  const behind = skipTrivia(text, last.comma === undefined ? last.value.end : last.comma + 1, true);
  const trailing = last.comma === undefined ? '' : ',';
  const added: Splice = { start: behind, end: behind, text: `${eol}${indent}${member(indent)}${trailing}` };
  const comma: Splice = { start: last.value.end, end: last.value.end, text: ',' };
  return last.comma === undefined && behind === last.value.end
    ? splice(text, [{ ...added, text: `,${added.text}` }])
    : splice(text, last.comma === undefined ? [comma, added] : [added]);
}

/** Comments in an empty object stay before the member; what is written in one line stays in one. */
function insertFirst(
  text: string,
  object: JsonObjectNode,
  member: (indent: string | undefined) => string,
): string {
  const isInner = /\S/.test(text.slice(0, object.start).replace('\ufeff', ''));
  if (isInner && !text.trim().includes('\n')) {
    return splice(text, [{ start: object.end - 1, end: object.end - 1, text: member(undefined) }]);
  }
  const eol = lineEnding(text);
  const outer = indentAt(text, object.start);
  const indent = `${outer}${indentUnit(text)}`;
  const inside = text.slice(object.start + 1, object.end - 1).trimEnd();
  const body = `${inside}${eol}${indent}${member(indent)}${eol}${outer}`;
  return splice(text, [{ start: object.start + 1, end: object.end - 1, text: body }]);
}

/** Takes a member and one comma away, and the line that it had for itself. */
export function removeMember(text: string, object: JsonObjectNode, member: JsonMember): string {
  const index = object.members.indexOf(member);
  const before = object.members[index - 1];
  const ownEnd = member.comma === undefined ? member.value.end : member.comma + 1;
  const start = beginsLine(text, member.start) ? lineBreakBefore(text, member.start) : member.start;
  if (object.members.length === 1) {
    const left = text.slice(object.start + 1, start) + text.slice(ownEnd, object.end - 1);
    const kept = left.trim() === '' ? '' : left;
    return splice(text, [{ start: object.start + 1, end: object.end - 1, text: kept }]);
  }
  const own: Splice = { start, end: start === member.start ? skipBlanks(text, ownEnd) : ownEnd, text: '' };
  if (member.comma !== undefined || before?.comma === undefined) {
    return splice(text, [own]);
  }
  if (start === member.start) {
    return splice(text, [{ start: before.comma, end: ownEnd, text: '' }]);
  }
  return splice(text, [{ start: before.comma, end: before.comma + 1, text: '' }, own]);
}

function lineBreakBefore(text: string, at: number): number {
  const start = lineStart(text, at);
  return text[start - 1] !== '\n' ? start : text[start - 2] === '\r' ? start - 2 : start - 1;
}

function skipBlanks(text: string, from: number): number {
  return from + (/^[ \t]*/.exec(text.slice(from, from + 200))?.[0].length ?? 0);
}
