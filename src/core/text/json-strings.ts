import { knownText } from './bytes.js';
import { backslash } from './json-scalars.js';

/** A shorter one is quicker searched than given to somebody who searches. */
const shortString = 128;

const letterU = 0x75;

const nearby = 65_536;

/** Makes texts of the strings of a JSON text that have been found to be well-formed. */
export class JsonStrings {
  readonly #bytes: Buffer;
  readonly #isOurs: boolean;

  /** @param isOurs The bytes may be overwritten. */
  constructor(bytes: Buffer, isOurs: boolean) {
    this.#bytes = bytes;
    this.#isOurs = isOurs;
  }

  /** The string whose spelling, without quotes, lies there. */
  between(from: number, to: number): string {
    const known = knownText(this.#bytes, from, to);
    if (known !== undefined) return known;
    const first = this.#firstEscape(from, to);
    if (first === -1) return this.#bytes.toString('utf8', from, to);
    return this.#isOurs
      ? this.#unescapedInPlace(from, first, to)
      : JSON.parse(`"${this.#bytes.toString('utf8', from, to)}"`);
  }

  #firstEscape(from: number, to: number): number {
    if (to - from > shortString) {
      const at = this.#bytes.subarray(from, to).indexOf(backslash);
      return at === -1 ? -1 : from + at;
    }
    let at = from;
    while (at < to && this.#bytes[at] !== backslash) at += 1;
    return at < to ? at : -1;
  }

  /**
   * Where it stands: else it would take its memory twice more. No escape is shorter than what it stands for in UTF-8.
   * Half a character alone has no UTF-8: it is made otherwise, with what is near.
   */
  #unescapedInPlace(from: number, first: number, to: number): string {
    const bytes = this.#bytes;
    let text = '';
    let start = from;
    let written = first;
    let at = first;
    while (at < to) {
      const byte = bytes[at] ?? 0;
      if (byte !== backslash) {
        bytes[written] = byte;
        written += 1;
        at += 1;
        continue;
      }
      const letter = bytes[at + 1] ?? 0;
      if (letter !== letterU) {
        bytes[written] = singleEscape(letter);
        written += 1;
        at += 2;
        continue;
      }
      const point = this.#pointAt(at, to);
      if (point === undefined) {
        const end = this.#near(at, to);
        text += bytes.toString('utf8', start, written) + JSON.parse(`"${bytes.toString('utf8', at, end)}"`);
        at = end;
        start = end;
        written = end;
        continue;
      }
      at += point > 0xffff ? 12 : 6;
      written = this.#put(point, written);
    }
    return text + bytes.toString('utf8', start, written);
  }

  /** A place some way behind `at`, between two characters. */
  #near(at: number, to: number): number {
    const bytes = this.#bytes;
    let next = at;
    while (next < to && (next < at + nearby || ((bytes[next] ?? 0) & 0xc0) === 0x80)) {
      if (bytes[next] !== backslash) next += 1;
      else if (bytes[next + 1] !== letterU) next += 2;
      else next += (this.#pointAt(next, to) ?? 0) > 0xffff ? 12 : 6;
    }
    return next;
  }

  /** The character that the escape at `at` spells, maybe with the one behind it; undefined for half of one. */
  #pointAt(at: number, to: number): number | undefined {
    const unit = this.#unitAt(at);
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    const isPair = at + 12 <= to && this.#bytes[at + 6] === backslash && this.#bytes[at + 7] === letterU;
    const low = isPair ? this.#unitAt(at + 6) : 0;
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return undefined;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }

  #unitAt(at: number): number {
    let unit = 0;
    for (let index = at + 2; index < at + 6; index += 1) unit = unit * 16 + hexDigit(this.#bytes[index] ?? 0);
    return unit;
  }

  /** One character in UTF-8; the place behind it. */
  #put(point: number, at: number): number {
    const bytes = this.#bytes;
    if (point < 0x80) {
      bytes[at] = point;
      return at + 1;
    }
    const length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    const lead = length === 2 ? 0xc0 : length === 3 ? 0xe0 : 0xf0;
    bytes[at] = lead | (point >> (6 * (length - 1)));
    for (let index = 1; index < length; index += 1) {
      bytes[at + index] = 0x80 | ((point >> (6 * (length - 1 - index))) & 0x3f);
    }
    return at + length;
  }
}

/** What stands for itself, too. */
function singleEscape(letter: number): number {
  switch (letter) {
    case 0x62: // b
      return 0x08;
    case 0x66: // f
      return 0x0c;
    case 0x6e: // n
      return 0x0a;
    case 0x72: // r
      return 0x0d;
    case 0x74: // t
      return 0x09;
    default:
      return letter;
  }
}

/** 0-9, A-F, a-f */
function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9;
}
