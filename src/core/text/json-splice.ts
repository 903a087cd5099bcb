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

/**
 * Takes JSON texts apart and puts them together as bytes: what is not changed stays as it is spelled. The bytes have been
 * found to be JSON.
 */

/** In bytes. */
const longestName = 256;

type Span = readonly [from: number, to: number];

interface Member {
  /** '' where it is longer than any that counts. */
  readonly name: string;
  /** From the name on. */
  readonly at: number;
  readonly valueAt: number;
  readonly end: number;
}

export function* membersOf(bytes: Uint8Array, objectAt: number): Generator<Member, void> {
  if (bytes[objectAt] !== openBrace) return;
  let next = skipSpace(bytes, objectAt + 1);
  while (bytes[next] !== closeBrace) {
    const valueAt = skipName(bytes, next);
    const end = skipValue(bytes, valueAt);
    yield { name: textAt(bytes, next, longestName), at: next, valueAt, end };
    next = skipSpace(bytes, end);
    if (bytes[next] === comma) next = skipSpace(bytes, next + 1);
  }
}

/** Where the value of a member begins, of two with one name the last; -1 where there is none, or no object. */
export function memberAt(bytes: Uint8Array, objectAt: number, name: string): number {
  let found = -1;
  for (const member of membersOf(bytes, objectAt)) if (member.name === name) found = member.valueAt;
  return found;
}

/** The value of a member as it is spelled; undefined where there is none. */
export function memberBytes(bytes: Uint8Array, objectAt: number, name: string): Uint8Array | undefined {
  const at = memberAt(bytes, objectAt, name);
  return at === -1 ? undefined : bytes.subarray(at, skipValue(bytes, at));
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
  return Buffer.concat([Buffer.from('['), ...separated(texts), Buffer.from(']')]);
}

/**
 * The object that begins at `objectAt`, with other members; all else as it is spelled. What is no object is taken for `{}`.
 * @param changes Values as JSON texts; undefined takes a member out.
 */
export function withMembers(
  bytes: Uint8Array,
  objectAt: number,
  changes: Readonly<Record<string, Uint8Array | undefined>>,
): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { name, at, end } of membersOf(bytes, objectAt)) {
    if (!Object.hasOwn(changes, name)) parts.push(bytes.subarray(at, end));
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) parts.push(Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), value]));
  }
  return Buffer.concat([Buffer.from('{'), ...separated(parts), Buffer.from('}')]);
}

function separated(texts: readonly Uint8Array[]): readonly Uint8Array[] {
  return texts.flatMap((text, at) => (at === 0 ? [text] : [Buffer.from(','), text]));
}
