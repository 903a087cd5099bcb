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

/** The text of the valid string at `at`; '' if its spelling is longer than `max` bytes. */
export function textAt(bytes: Uint8Array, at: number, max: number): string {
  const past = skipString(bytes, at);
  if (past - at > max) return '';
  const spelled = Buffer.from(bytes.buffer, bytes.byteOffset + at, past - at).toString();
  return spelled.includes('\\') ? JSON.parse(spelled) : spelled.slice(1, -1);
}

export const quote = 0x22;

export const backslash = 0x5c;

/** The end of the string whose opening quote is at `at`. */
export function skipString(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next !== -1) {
    const byte = bytes[next] ?? 0;
    if (byte === quote) return next + 1;
    if (byte < 0x20) return -1;
    if (byte === backslash) next = skipEscape(bytes, next);
    else next = byte < 0x80 ? next + 1 : skipWide(bytes, next, byte);
  }
  return -1;
}

/** The end of the number, `true`, `false` or `null` at `at`; -1 if there is none. */
export function skipScalar(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte === 0x2d || isDigit(byte)) return skipNumber(bytes, at);
  if (byte === 0x74) return skipWord(bytes, at, 'true');
  if (byte === 0x66) return skipWord(bytes, at, 'false');
  return skipWord(bytes, at, 'null');
}

function skipWord(bytes: Uint8Array, at: number, word: string): number {
  for (let index = 0; index < word.length; index += 1) {
    if (bytes[at + index] !== word.charCodeAt(index)) return -1;
  }
  return at + word.length;
}

function skipNumber(bytes: Uint8Array, at: number): number {
  let next = bytes[at] === 0x2d ? at + 1 : at;
  next = bytes[next] === 0x30 ? next + 1 : skipDigits(bytes, next);
  if (next !== -1 && bytes[next] === 0x2e) next = skipDigits(bytes, next + 1);
  if (next !== -1 && (bytes[next] === 0x65 || bytes[next] === 0x45)) {
    const sign = bytes[next + 1];
    next = skipDigits(bytes, next + (sign === 0x2b || sign === 0x2d ? 2 : 1));
  }
  return next;
}

/** The end of at least one digit. */
function skipDigits(bytes: Uint8Array, at: number): number {
  let next = at;
  while (isDigit(bytes[next] ?? 0)) next += 1;
  return next === at ? -1 : next;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function skipEscape(bytes: Uint8Array, at: number): number {
  const byte = bytes[at + 1];
  if (byte !== 0x75) return byte !== undefined && '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? at + 2 : -1;
  for (let index = 2; index < 6; index += 1) {
    if (!isHex(bytes[at + index] ?? 0)) return -1;
  }
  return at + 6;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** The end of a character of two to four bytes, by the table of RFC 3629 section 4. */
function skipWide(bytes: Uint8Array, at: number, lead: number): number {
  const second = bytes[at + 1] ?? 0;
  if (lead >= 0xc2 && lead <= 0xdf) return isTail(second) ? at + 2 : -1;
  if (lead >= 0xe0 && lead <= 0xef) {
    const low = lead === 0xe0 ? 0xa0 : 0x80;
    const high = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && isTail(bytes[at + 2]) ? at + 3 : -1;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const low = lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xf4 ? 0x8f : 0xbf;
    const fits = second >= low && second <= high;
    return fits && isTail(bytes[at + 2]) && isTail(bytes[at + 3]) ? at + 4 : -1;
  }
  return -1;
}

function isTail(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte <= 0xbf;
}
