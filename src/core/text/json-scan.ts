import { quote, skipScalar, skipString } from './json-scalars.js';

/**
 * Finds the end of JSON texts in bytes (RFC 8259), without making values of them: every grammar rule is checked, and
 * UTF-8 with them. Each function takes the place of its first byte and gives the place after the last one, or -1 where
 * the bytes are no JSON. Time is linear, memory one byte for each level of nesting.
 */

export const openBrace = 0x7b;

export const closeBrace = 0x7d;

export const openBracket = 0x5b;

export const closeBracket = 0x5d;

export const comma = 0x2c;

export const colon = 0x3a;

/** Past the white space at `at`. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  for (;;) {
    const byte = bytes[next];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return next;
    next += 1;
  }
}

/** Past the value that begins at `at`, of any kind and any depth. */
export function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === quote) return skipString(bytes, at);
  if (first !== openBrace && first !== openBracket) return skipScalar(bytes, at);
  const isObjectAt: boolean[] = []; // of each open level
  let next = at;
  for (;;) {
    const byte = bytes[next];
    if (byte === openBrace || byte === openBracket) {
      const isObject = byte === openBrace;
      next = skipSpace(bytes, next + 1);
      if (bytes[next] === (isObject ? closeBrace : closeBracket)) {
        next += 1;
      } else {
        isObjectAt.push(isObject);
        next = isObject ? skipName(bytes, next) : next;
        if (next === -1) return -1;
        continue;
      }
    } else {
      next = byte === quote ? skipString(bytes, next) : skipScalar(bytes, next);
      if (next === -1) return -1;
    }
    next = afterValue(bytes, next, isObjectAt);
    if (next === -1 || isObjectAt.length === 0) return next;
  }
}

/** Past the name that begins at `at`, its colon, and the space around it. */
export function skipName(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) return -1;
  const end = skipString(bytes, at);
  if (end === -1) return -1;
  const next = skipSpace(bytes, end);
  return bytes[next] === colon ? skipSpace(bytes, next + 1) : -1;
}

/** A value has ended: closes what ends with it, and goes to where the next one begins. */
function afterValue(bytes: Uint8Array, at: number, isObjectAt: boolean[]): number {
  let next = at;
  while (isObjectAt.length > 0) {
    const isObject = isObjectAt.at(-1);
    next = skipSpace(bytes, next);
    const byte = bytes[next];
    if (byte === comma) {
      next = skipSpace(bytes, next + 1);
      return isObject ? skipName(bytes, next) : next;
    }
    if (byte !== (isObject ? closeBrace : closeBracket)) return -1;
    isObjectAt.pop();
    next += 1;
  }
  return next;
}

/** In bytes: a name can be spelled with escapes of six bytes a character. */
const longestName = 256;

/**
 * Past the object that begins at `at`. `member` is given each name, '' for one too long to count, and where its value begins; it gives the place past that value.
 */
export function walkObject(bytes: Uint8Array, at: number, member: (name: string, valueAt: number) => number): number {
  if (bytes[at] !== openBrace) return -1;
  let next = skipSpace(bytes, at + 1);
  if (bytes[next] === closeBrace) return next + 1;
  for (;;) {
    const valueAt = skipName(bytes, next);
    if (valueAt === -1) return -1;
    next = member(textAt(bytes, next, longestName), valueAt);
    if (next === -1) return -1;
    next = skipSpace(bytes, next);
    if (bytes[next] === closeBrace) return next + 1;
    if (bytes[next] !== comma) return -1;
    next = skipSpace(bytes, next + 1);
  }
}

/** What the string at `at` says, which has been found to be one; '' where it is spelled with more than `max` bytes. */
export function textAt(bytes: Uint8Array, at: number, max: number): string {
  const past = skipString(bytes, at);
  if (past - at > max) return '';
  const spelled = Buffer.from(bytes.buffer, bytes.byteOffset + at, past - at).toString();
  return spelled.includes('\\') ? JSON.parse(spelled) : spelled.slice(1, -1);
}
