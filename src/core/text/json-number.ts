/** A number that a double cannot hold, as spelled: JSON does not limit numbers (RFC 8259 section 6). */
export class JsonNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** For `JSON.stringify`; `jsonText` keeps the spelling. */
  toJSON(): number {
    return Number(this.#text);
  }
}

/** A double if it equals the spelled number, else a `JsonNumber`. */
export function jsonNumber(text: string): number | JsonNumber {
  const value = Number(text);
  // A double keeps fifteen digits unless the number is very large or small.
  const isHeld = (text.length <= 15 && !/e/i.test(text)) || plain(text) === plain(String(value));
  return isHeld ? value : new JsonNumber(text);
}

/** The canonical spelling: digits without zeros at either end, and the exponent. */
function plain(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]+))?$/i.exec(text) ?? [];
  const digits = whole + fraction;
  let [from, to] = [0, digits.length];
  while (digits[from] === '0') from += 1;
  while (to > from && digits[to - 1] === '0') to -= 1;
  return from === to ? whole.slice(0, 1) : `${sign}${digits.slice(from, to)}e${Number(exponent) + whole.length - to}`;
}

/** `JSON.stringify` that keeps the spelling of such numbers. */
export function jsonText(value: unknown, indent?: string): string {
  if (!hasJsonNumber(value)) return JSON.stringify(value, undefined, indent); // several times faster
  const mark = crypto.randomUUID(); // in no string of the value
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
