import {
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  skipName,
  skipSpace,
  skipValue,
  textAt,
} from './json-scan.js';

/** Takes valid JSON bytes apart; whatever is kept keeps its spelling. */

/** In bytes. */
const longestName = 256;

type Span = readonly [from: number, to: number];

/** The index of a member's value, the last of equal names; -1 without such a member, or if it is no object. */
export function memberAt(bytes: Uint8Array, objectAt: number, name: string): number {
  let found = -1;
  if (bytes[objectAt] !== openBrace) return found;
  let next = skipSpace(bytes, objectAt + 1);
  while (bytes[next] !== closeBrace) {
    const valueAt = skipName(bytes, next);
    if (textAt(bytes, next, longestName) === name) found = valueAt;
    next = skipSpace(bytes, skipValue(bytes, valueAt));
    if (bytes[next] === comma) next = skipSpace(bytes, next + 1);
  }
  return found;
}

export function elementSpans(bytes: Uint8Array, listAt: number): readonly Span[] {
  const spans: Span[] = [];
  if (bytes[listAt] !== openBracket) return spans;
  let next = skipSpace(bytes, listAt + 1);
  while (bytes[next] !== closeBracket) {
    const end = skipValue(bytes, next);
    spans.push([next, end]);
    next = skipSpace(bytes, end);
    if (bytes[next] === comma) next = skipSpace(bytes, next + 1);
  }
  return spans;
}

export function listOf(texts: readonly Uint8Array[]): Uint8Array {
  const separated = texts.flatMap((text, at) => (at === 0 ? [text] : [Buffer.from(','), text]));
  return Buffer.concat([Buffer.from('['), ...separated, Buffer.from(']')]);
}
