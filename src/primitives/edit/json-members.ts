import { type JsonMember, type JsonObjectNode, skipTrivia } from './json-tree.js';
import { beginsLine, indentAt, indentUnit, lineEnding, lineStart, type Splice, splice } from './text-form.js';

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
