import { jsonText } from './json-number.js';
import { isWindows } from './system.js';

/** Text that needs no further check. */
const plainText = /^[\x20-\x7e]*$/;

/**
 * Characters that must not reach a terminal: controls (C0, DEL, C1), format characters (bidi, zero-width, tags), lone
 * surrogates, separators, private and unassigned characters, and other invisible ones.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** More combining marks than this on one letter would cover the lines around it. */
const maxMarks = 3;

/**
 * Turns untrusted text into one harmless line: invisible characters, and a fourth combining mark in a row, become visible
 * (`\x1b`, `\u{202e}`). Linear in `max`.
 * @param max Maximum characters of output; a longer text is cut and ends with an ellipsis.
 */
export function printable(text: string, max = 300): string {
  return render(text, max, '');
}

/** `printable` text in double quotes; quotes and backslashes in it are escaped. */
export function quoted(text: string, max = 300): string {
  return `"${render(text, max, '"\\')}"`;
}

/** A path in double quotes. On Windows, paths have no quotes, and their backslashes are not doubled. */
export function quotedPath(path: string, max = 300, windows = isWindows): string {
  return windows ? `"${render(path, max, '"')}"` : quoted(path, max);
}

function render(text: string, max: number, alsoEscaped: string): string {
  if (alsoEscaped === '' && text.length <= max && plainText.test(text)) return text;
  const pieces: string[] = [];
  let length = 0;
  let marks = maxMarks;
  for (const character of text) {
    const isMark = /\p{M}/u.test(character);
    const harmless = !unprintable.test(character) && !(isMark && marks >= maxMarks);
    const piece = !harmless ? escaped(character) : alsoEscaped.includes(character) ? `\\${character}` : character;
    length += harmless && piece === character ? 1 : piece.length;
    if (length > max) {
      pieces.push('…');
      break;
    }
    pieces.push(piece);
    marks = !harmless ? maxMarks : isMark ? marks + 1 : 0;
  }
  return pieces.join('');
}

function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  return point <= 0xff ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
}

/**
 * `text` as one word of a command line in a remedy: a server's URL may hold `;` or `$`. On Windows, in double quotes, the
 * only ones that both cmd.exe and PowerShell know.
 */
export function shellWord(text: string): string {
  return isWindows ? windowsWord(text) : posixWord(text);
}

/**
 * cmd.exe and PowerShell have no common escape for a double quote (PowerShell also accepts typographic ones), so it becomes
 * a single one, and nothing ever ends up outside the quotes. Characters that PowerShell would expand are escaped.
 */
export function windowsWord(text: string): string {
  if (/^[A-Za-z0-9:/\\._+=-]+$/.test(text)) return text;
  const inside = text.replaceAll(/["\u201c-\u201e]/g, "'").replaceAll(/[$`]/g, '`$&');
  return `"${inside.replace(/\\+$/, '$&$&')}"`;
}

/** `text` as one word of a POSIX shell: unchanged if every character is harmless, else in single quotes. */
export function posixWord(text: string): string {
  return /^[A-Za-z0-9:/._~@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A value as one line of JSON with everything but printable ASCII `\u`-escaped: it cannot control a terminal, and any JSON
 * parser restores the value.
 */
export function asciiJson(value: unknown): string {
  return asciiOnly(jsonText(value));
}

/** JSON text, or part of one, escaped that way. */
export function asciiOnly(json: string): string {
  if (printableAscii.test(json)) return json;
  const bytes = Buffer.allocUnsafe(json.length * longestEscape);
  let at = 0;
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index);
    if (unit >= 0x20 && unit <= 0x7e) {
      bytes[at++] = unit;
      continue;
    }
    bytes[at] = 0x5c;
    bytes[at + 1] = 0x75;
    bytes[at + 2] = hexDigit(unit >> 12);
    bytes[at + 3] = hexDigit((unit >> 8) & 0xf);
    bytes[at + 4] = hexDigit((unit >> 4) & 0xf);
    bytes[at + 5] = hexDigit(unit & 0xf);
    at += longestEscape;
  }
  return bytes.toString('latin1', 0, at);
}

const printableAscii = /^[\x20-\x7e]*$/;

const longestEscape = 6;

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

/** Splits a text into pieces of about this length, never within a character or between CR and LF. */
export function* piecesOf(text: string, length: number): Generator<string, void, undefined> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + length;
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff || text.startsWith('\r\n', end - 1)) end += 1;
    yield text.slice(at, end);
  }
}

/** Escapes text for an HTML element or a quoted attribute. */
export function htmlText(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** `1 key`, `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
