/** A number that a double cannot hold, as it is spelled: JSON has no limits for numbers (RFC 8259 section 6). */
export class JsonNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** For what is not written with `jsonText`. */
  toJSON(): number {
    return Number(this.#text);
  }
}

/** The number of such a spelling: a double, unless that is another number. */
export function jsonNumber(text: string): number | JsonNumber {
  const value = Number(text);
  // A double keeps fifteen digits of any number that is not very large or small.
  const isHeld = (text.length <= 15 && !/e/i.test(text)) || plain(text) === plain(String(value));
  return isHeld ? value : new JsonNumber(text);
}

/** One spelling for all of a number: its digits without zeros at either end, and the exponent. */
function plain(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]+))?$/i.exec(text) ?? [];
  const digits = whole + fraction;
  let [from, to] = [0, digits.length];
  while (digits[from] === '0') from += 1;
  while (to > from && digits[to - 1] === '0') to -= 1;
  return from === to ? whole.slice(0, 1) : `${sign}${digits.slice(from, to)}e${Number(exponent) + whole.length - to}`;
}

/** `JSON.stringify`, with such numbers as they are spelled. */
export function jsonText(value: unknown, indent?: string): string {
  if (!hasJsonNumber(value)) return JSON.stringify(value, undefined, indent); // several times as fast
  const mark = crypto.randomUUID(); // nobody can have put it into a string
  const spelled = function (this: Record<string, unknown>, name: string, member: unknown) {
    const own = this[name];
    return own instanceof JsonNumber ? `${mark}${own}` : member;
  };
  return JSON.stringify(value, spelled, indent).replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

function hasJsonNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof JsonNumber || Object.values(value).some(hasJsonNumber);
}
