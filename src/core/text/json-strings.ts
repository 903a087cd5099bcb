import { knownText } from './bytes.js';
import { backslash, letterU, singleEscape } from './json-scalars.js';

/** A shorter one is searched more quickly here than by the engine. */
const shortString = 128;

/** In bytes. In a longer string half a character is read as U+FFFD: keeping it takes twice the memory. */
const longestWithHalf = 4 * 1_048_576;

const replacement = 0xfffd;

/** Names that are kept, and how long they are at most. */
const keptNames = 1_024;

const longestKept = 64;

/** Makes texts of the strings of a JSON text that have been found to be well-formed. */
export class JsonStrings {
  readonly #bytes: Buffer;
  readonly #isOurs: boolean;
  /** Made when a name comes that is not among the known ones. */
  #names: string[] | undefined;
  #units: Buffer | undefined;

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
      ? this.#unescapedHere(from, first, to)
      : JSON.parse(`"${this.#bytes.toString('utf8', from, to)}"`);
  }

  /** The same as `between` for a name that was read lately, and need not be made. */
  recent(from: number, to: number): string | undefined {
    const known = knownText(this.#bytes, from, to);
    if (known !== undefined) return known;
    const name = to - from > longestKept ? undefined : this.#names?.[this.#slot(from, to)];
    if (name?.length !== to - from) return undefined;
    let same = 0;
    while (same < name.length && this.#bytes[from + same] === name.charCodeAt(same)) same += 1;
    return same === name.length ? name : undefined;
  }

  /** `between`, for `recent` next time. */
  name(from: number, to: number): string {
    const slot = this.#slot(from, to);
    const name = this.between(from, to);
    // Only where it is plain ASCII without escapes is it as long as its spelling.
    if (name.length !== to - from || name.length > longestKept) return name;
    this.#names ??= [];
    this.#names[slot] = name;
    return name;
  }

  #slot(from: number, to: number): number {
    let hash = 0;
    for (let at = from; at < to && at < from + longestKept; at += 1) hash = (hash * 31 + (this.#bytes[at] ?? 0)) | 0;
    return hash & (keptNames - 1);
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
   * Where it stands: else it would take its memory twice more. No escape is shorter than what it stands for in UTF-8,
   * nor than half a character is when it is put like a whole one (WTF-8).
   */
  #unescapedHere(from: number, first: number, to: number): string {
    const bytes = this.#bytes;
    let hasHalf = false;
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
        bytes[written] = singleEscape(letter) ?? letter;
        written += 1;
        at += 2;
        continue;
      }
      const point = this.#pointAt(at, to);
      const isHalf = point >= 0xd800 && point <= 0xdfff;
      at += point > 0xffff ? 12 : 6;
      written = this.#put(isHalf && to - from > longestWithHalf ? replacement : point, written);
      hasHalf ||= isHalf && to - from <= longestWithHalf;
    }
    return hasHalf ? this.#withHalves(from, written) : bytes.toString('utf8', from, written);
  }

  /** What no decoder of UTF-8 takes. */
  #withHalves(from: number, to: number): string {
    const bytes = this.#bytes;
    this.#units ??= Buffer.allocUnsafeSlow(2 * longestWithHalf);
    const units = this.#units;
    let size = 0;
    const put = (unit: number): void => {
      units[size] = unit & 0xff;
      units[size + 1] = unit >> 8;
      size += 2;
    };
    for (let at = from; at < to; ) {
      const lead = bytes[at] ?? 0;
      const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      let point = length === 1 ? lead : lead & (0x7f >> length);
      for (let index = 1; index < length; index += 1) point = (point << 6) | ((bytes[at + index] ?? 0) & 0x3f);
      at += length;
      if (point > 0xffff) put(0xd7c0 + (point >> 10));
      put(point > 0xffff ? 0xdc00 | (point & 0x3ff) : point);
    }
    return units.toString('utf16le', 0, size);
  }

  /** The character that the escape at `at` spells, maybe with the one behind it; or half of one. */
  #pointAt(at: number, to: number): number {
    const unit = this.#unitAt(at);
    if (unit < 0xd800 || unit > 0xdbff) return unit;
    const isPair = at + 12 <= to && this.#bytes[at + 6] === backslash && this.#bytes[at + 7] === letterU;
    const low = isPair ? this.#unitAt(at + 6) : 0;
    return low < 0xdc00 || low > 0xdfff ? unit : 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
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

/** 0-9, A-F, a-f */
function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9;
}
