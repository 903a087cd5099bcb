import { quote, skipScalar, skipString } from './json-scalars.js';

/**
 * Finds where JSON texts end in bytes (RFC 8259), without parsing them into values; checks the whole grammar, and UTF-8. Each
 * function takes the index of the first byte and returns the index after the last, or -1 for invalid JSON. Linear time.
 */

export const openBrace = 0x7b;

export const closeBrace = 0x7d;

export const openBracket = 0x5b;

export const closeBracket = 0x5d;

export const comma = 0x2c;

export const colon = 0x3a;

/** The end of the white space at `at`. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  for (;;) {
    const byte = bytes[next];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return next;
    next += 1;
  }
}

/** The end of the value at `at`, of any kind and depth. */
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

/** The end of the name at `at`, its colon, and the space around it. */
export function skipName(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) return -1;
  const end = skipString(bytes, at);
  if (end === -1) return -1;
  const next = skipSpace(bytes, end);
  return bytes[next] === colon ? skipSpace(bytes, next + 1) : -1;
}

/** After a value: closes what ends with it, and finds the start of the next one. */
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

/** In bytes: escapes take six bytes per character. */
const longestName = 256;

/**
 * The end of the object at `at`. `member` gets each name ('' if longer than `longestName`) and the index of its value, and
 * returns the index after the value.
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

/** The text of the valid string at `at`; '' if its spelling is longer than `max` bytes. */
export function textAt(bytes: Uint8Array, at: number, max: number): string {
  const past = skipString(bytes, at);
  if (past - at > max) return '';
  const spelled = Buffer.from(bytes.buffer, bytes.byteOffset + at, past - at).toString();
  return spelled.includes('\\') ? JSON.parse(spelled) : spelled.slice(1, -1);
}
