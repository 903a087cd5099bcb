import { closeBrace, comma, openBrace, skipName, skipSpace, skipValue, textAt } from '../core/text/json-scan.js';

/** Longest name of a setting that is looked at, in bytes. */
const longestName = 256;

interface Member {
  readonly name: string;
  readonly from: number;
  readonly valueAt: number;
  readonly end: number;
}

/**
 * A JSON object's text with one member set, or taken out; all else stays as it is, to the byte. The text is a JSON object
 * with no name twice.
 * @param value As JSON; undefined: taken out.
 */
export function withMember(text: string, name: string, value: string | undefined): string {
  const bytes = Buffer.from(text);
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== openBrace) throw new Error('a configuration is an object');
  const members = membersOf(bytes, start);
  const at = members.findIndex((member) => member.name === name);
  const [before, member, after] = [members[at - 1], members[at], members[at + 1]];
  const splice = (from: number, to: number, put: string) =>
    Buffer.concat([bytes.subarray(0, from), Buffer.from(put), bytes.subarray(to)]).toString();
  if (value !== undefined) {
    if (member !== undefined) return splice(member.valueAt, member.end, value);
    const last = members.at(-1);
    const line = `${JSON.stringify(name)}: ${value}`;
    if (last === undefined) return splice(start + 1, skipSpace(bytes, start + 1), `\n  ${line}\n`);
    // As the last one is set off from what stands before it.
    const gap = bytes.subarray(members.at(-2)?.end ?? start + 1, last.from).toString();
    const blanks = /(\s*)$/.exec(gap)?.[1] ?? '';
    return splice(last.end, last.end, `,${blanks}${line}`);
  }
  if (member === undefined) return text;
  if (after !== undefined) return splice(member.from, after.from, '');
  if (before !== undefined) return splice(before.end, member.end, '');
  return splice(start + 1, skipSpace(bytes, member.end), '');
}

function membersOf(bytes: Uint8Array, objectAt: number): readonly Member[] {
  const members: Member[] = [];
  let from = skipSpace(bytes, objectAt + 1);
  while (bytes[from] !== closeBrace) {
    const valueAt = skipName(bytes, from);
    const end = skipValue(bytes, valueAt);
    members.push({ name: textAt(bytes, from, longestName), from, valueAt, end });
    from = skipSpace(bytes, end);
    if (bytes[from] === comma) from = skipSpace(bytes, from + 1);
  }
  return members;
}
