import { knownText } from './bytes.js';
import { backslash, quote, skipScalar, skipString } from './json-scalars.js';

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
  const levels = new Levels();
  let next = at;
  for (;;) {
    const byte = bytes[next];
    if (byte === openBrace || byte === openBracket) {
      const isObject = byte === openBrace;
      next = skipSpace(bytes, next + 1);
      if (bytes[next] === (isObject ? closeBrace : closeBracket)) {
        next += 1;
      } else {
        levels.push(isObject);
        next = isObject ? skipName(bytes, next) : next;
        if (next === -1) return -1;
        continue;
      }
    } else {
      next = byte === quote ? skipString(bytes, next) : skipScalar(bytes, next);
      if (next === -1) return -1;
    }
    next = afterValue(bytes, next, levels);
    if (next === -1 || levels.depth === 0) return next;
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
function afterValue(bytes: Uint8Array, at: number, levels: Levels): number {
  let next = at;
  while (levels.depth > 0) {
    const isObject = levels.isObject;
    next = skipSpace(bytes, next);
    const byte = bytes[next];
    if (byte === comma) {
      next = skipSpace(bytes, next + 1);
      return isObject ? skipName(bytes, next) : next;
    }
    if (byte !== (isObject ? closeBrace : closeBracket)) return -1;
    levels.pop();
    next += 1;
  }
  return next;
}

/** In bytes. */
const shortText = 64;

const longestName = 256;

/** Levels whose kinds fit into one number. */
const fewLevels = 30;

/** The kinds of the levels that are open: those of most messages as the bits of a number. */
class Levels {
  depth = 0;
  #objects = 0;
  #deep: Uint8Array | undefined;

  /** Whether the innermost one is an object. */
  get isObject(): boolean {
    const top = this.depth - 1;
    return top < fewLevels ? (this.#objects & (1 << top)) !== 0 : this.#deep?.[top] === 1;
  }

  push(isObject: boolean): void {
    const { depth } = this;
    if (depth < fewLevels) this.#objects = isObject ? this.#objects | (1 << depth) : this.#objects & ~(1 << depth);
    else this.#room(depth)[depth] = isObject ? 1 : 0;
    this.depth += 1;
  }

  pop(): void {
    this.depth -= 1;
  }

  #room(depth: number): Uint8Array {
    if (this.#deep !== undefined && depth < this.#deep.length) return this.#deep;
    const longer = new Uint8Array(depth * 2);
    longer.set(this.#deep ?? []);
    this.#deep = longer;
    return longer;
  }
}

/**
 * Past the object that begins at `at`. `member` is given each name, where it is one that anybody asks for
 * (`known-text.ts`), else '', and where its value begins; it gives the place past that value.
 */
export function walkObject(bytes: Uint8Array, at: number, member: (name: string, valueAt: number) => number): number {
  if (bytes[at] !== openBrace) return -1;
  let next = skipSpace(bytes, at + 1);
  if (bytes[next] === closeBrace) return next + 1;
  for (;;) {
    const valueAt = skipName(bytes, next);
    if (valueAt === -1) return -1;
    next = member(nameAt(bytes, next), valueAt);
    if (next === -1) return -1;
    next = skipSpace(bytes, next);
    if (bytes[next] === closeBrace) return next + 1;
    if (bytes[next] !== comma) return -1;
    next = skipSpace(bytes, next + 1);
  }
}

function nameAt(bytes: Uint8Array, at: number): string {
  let end = at + 1;
  for (let byte = bytes[end]; byte !== quote; byte = bytes[end]) {
    // A name can be spelled with escapes of six bytes a character, and none that counts is longer than this.
    if (end - at > longestName) return '';
    if (byte === backslash) return textAt(bytes, at, longestName);
    end += 1;
  }
  return knownText(bytes, at + 1, end) ?? '';
}

/** What the string at `at` says, which has been found to be one; '' where it is spelled with more than `max` bytes. */
export function textAt(bytes: Uint8Array, at: number, max: number): string {
  let end = at + 1;
  for (;;) {
    const byte = bytes[end] ?? quote;
    if (byte === quote) break;
    if (end - at > max) return '';
    if (byte === backslash || byte >= 0x80) {
      const past = skipString(bytes, at);
      return past - at > max ? '' : JSON.parse(new TextDecoder().decode(bytes.subarray(at, past)));
    }
    end += 1;
  }
  const known = knownText(bytes, at + 1, end);
  if (known !== undefined) return known;
  const text = bytes.subarray(at + 1, end);
  return text.length > shortText ? new TextDecoder().decode(text) : String.fromCharCode(...text);
}
