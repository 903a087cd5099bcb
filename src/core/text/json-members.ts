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

/** Takes JSON bytes apart; what is kept keeps its spelling. */

/** In bytes. */
const longestName = 256;

/** Where a value is. */
export type Span = readonly [from: number, to: number];

/** Some members of an object; the last of equal names. */
interface Members<Name extends string> {
  readonly spans: { readonly [Each in Name]?: Span };
  /** One of the names is there more than once. */
  readonly isRepeated: boolean;
  /** Where the object ends. */
  readonly end: number;
}

/** The members of the object at `at` with one of these names; undefined for invalid JSON, and for anything else. */
export function membersAt<const Name extends string>(
  bytes: Uint8Array,
  at: number,
  names: readonly Name[],
): Members<Name> | undefined {
  if (bytes[at] !== openBrace) return undefined;
  const spans: { [Each in Name]?: Span } = {};
  let isRepeated = false;
  let next = skipSpace(bytes, at + 1);
  if (bytes[next] === closeBrace) return { spans, isRepeated, end: next + 1 };
  for (;;) {
    const from = skipName(bytes, next);
    const to = from === -1 ? -1 : skipValue(bytes, from);
    if (to === -1) return undefined;
    const text = textAt(bytes, next, longestName);
    const name = names.find((each) => each === text);
    if (name !== undefined) {
      isRepeated ||= spans[name] !== undefined;
      spans[name] = [from, to];
    }
    next = skipSpace(bytes, to);
    if (bytes[next] === closeBrace) return { spans, isRepeated, end: next + 1 };
    if (bytes[next] !== comma) return undefined;
    next = skipSpace(bytes, next + 1);
  }
}

/** One member of an object. @param object Undefined: there is none. */
export function memberOf(bytes: Uint8Array, object: Span | undefined, name: string): Span | undefined {
  return object && membersAt(bytes, object[0], [name])?.spans[name];
}

/** The entries of the list at `at`, at most `max`; none for anything else. The bytes are valid JSON. */
export function entriesAt(bytes: Uint8Array, at: number, max = Number.POSITIVE_INFINITY): readonly Span[] {
  const spans: Span[] = [];
  if (bytes[at] !== openBracket) return spans;
  let next = skipSpace(bytes, at + 1);
  while (bytes[next] !== closeBracket && spans.length < max) {
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
