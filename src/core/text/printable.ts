import { jsonText } from './json-number.js';
import { isWindows } from './system.js';

/** Nothing but these: such a text needs no second look. */
const plainText = /^[\x20-\x7e]*$/;

/**
 * What may not reach a terminal as it is: controls (C0, DEL, C1), format characters (bidi, zero-width, tags), lone
 * surrogates, separators, private and unassigned characters, and whatever else is drawn as nothing.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** More marks than this on one letter are not writing but a flood over the lines around it. */
const maxMarks = 3;

/**
 * Untrusted text as one harmless line: invisible characters become visible text (`\x1b`, `\u{202e}`), and so does a fourth
 * combining mark in a row. Linear in `max`.
 * @param max Most characters of output; a longer text is cut there and ends with an ellipsis.
 */
export function printable(text: string, max = 300): string {
  return render(text, max, '');
}

/** `printable` text in double quotes; quotes and backslashes inside are escaped, so that it cannot end early. */
export function quoted(text: string, max = 300): string {
  return `"${render(text, max, '"\\')}"`;
}

/** A path in double quotes. On Windows none can hold a quote, and each backslash in it is a separator, which is not doubled. */
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
 * `text` as one word of the command line that a remedy asks the person to type: a server's URL may hold `;` or `$`. On
 * Windows that may be cmd.exe or PowerShell, so it is in double quotes, the only ones that both know.
 */
export function shellWord(text: string): string {
  return isWindows ? windowsWord(text) : posixWord(text);
}

/**
 * No word can be said to both shells where it has a quote (PowerShell takes typographic ones, too): that becomes a single one,
 * so that nothing is ever outside of the quotes. What PowerShell would replace is escaped for it.
 */
export function windowsWord(text: string): string {
  if (/^[A-Za-z0-9:/\\._+=-]+$/.test(text)) return text;
  const inside = text.replaceAll(/["\u201c-\u201e]/g, "'").replaceAll(/[$`]/g, '`$&');
  return `"${inside.replace(/\\+$/, '$&$&')}"`;
}

/** `text` as one word of a POSIX shell: as it is when every character is harmless, else in single quotes. */
export function posixWord(text: string): string {
  return /^[A-Za-z0-9:/._~@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A value as one line of JSON in which every character that is not printable ASCII is `\u`-escaped: no byte of it can
 * steer a terminal, and any JSON parser gives back what was put in.
 */
export function asciiJson(value: unknown): string {
  return asciiOnly(jsonText(value));
}

/** A text of JSON, or a part of one, with these characters escaped. */
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

/** The text in pieces of about this length, none of which ends within a character or between CR and LF. */
export function* piecesOf(text: string, length: number): Generator<string, void, undefined> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + length;
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff || text.startsWith('\r\n', end - 1)) end += 1;
    yield text.slice(at, end);
  }
}

/** A text as it may stand in an HTML page, in an element or in a quoted attribute. */
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
