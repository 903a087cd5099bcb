import type { JsonObject, JsonProblem, JsonValue, ParsedJson } from './json.js';

/** Ends a parse from any depth; never leaves this file. */
class Refusal {
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    this.problem = problem;
  }
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings hold no bare control characters
const needsCare = /[\\\x00-\x1f]/;
const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const literals: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/**
 * Parses a whole JSON text by recursive descent, at most `maxDepth` levels deep, with at most `maxKeys`
 * names and entries of lists. Accepts exactly what RFC 8259 allows, less names that occur twice in one object.
 */
export function parseJsonText(text: string, maxDepth: number, maxKeys: number): ParsedJson {
  try {
    return { ok: true, value: new Parser(text, maxDepth, maxKeys).document() };
  } catch (cause) {
    if (cause instanceof Refusal) {
      return { ok: false, problem: cause.problem };
    }
    throw cause;
  }
}

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxKeys: number;
  #at = 0;
  #keys = 0;

  constructor(text: string, maxDepth: number, maxKeys: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#maxKeys = maxKeys;
  }

  document(): JsonValue {
    const value = this.#value(0);
    if (!Number.isNaN(this.#next())) {
      throw new Refusal('not_json');
    }
    return value;
  }

  #value(depth: number): JsonValue {
    const first = this.#next();
    if (first === quote) {
      return this.#string();
    }
    if (first === openBrace || first === openBracket) {
      if (depth >= this.#maxDepth) {
        throw new Refusal('too_deep');
      }
      this.#at++;
      return first === openBrace ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    return this.#scalar();
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = Object.create(null);
    if (this.#took(closeBrace)) {
      return object;
    }
    do {
      if (this.#next() !== quote) {
        throw new Refusal('not_json');
      }
      const name = this.#string();
      this.#count();
      if (name in object) {
        throw new Refusal('duplicate_key');
      }
      this.#expect(colon);
      object[name] = this.#value(depth);
    } while (this.#took(comma));
    this.#expect(closeBrace);
    return object;
  }

  #array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    if (this.#took(closeBracket)) {
      return array;
    }
    do {
      this.#count();
      array.push(this.#value(depth));
    } while (this.#took(comma));
    this.#expect(closeBracket);
    return array;
  }

  /** Each name and each entry of a list costs memory, however short it is. */
  #count(): void {
    if (++this.#keys > this.#maxKeys) {
      throw new Refusal('too_many_keys');
    }
  }

  #string(): string {
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    // A quote after an odd number of backslashes is part of the string.
    while (end !== -1 && this.#isEscaped(end)) {
      end = this.#text.indexOf('"', end + 1);
    }
    if (end === -1) {
      throw new Refusal('not_json');
    }
    this.#at = end + 1;
    const content = this.#text.slice(start + 1, end);
    return needsCare.test(content) ? unescaped(this.#text.slice(start, end + 1)) : content;
  }

  #isEscaped(mark: number): boolean {
    let at = mark;
    while (this.#text.charCodeAt(at - 1) === 0x5c) {
      at--;
    }
    return (mark - at) % 2 === 1;
  }

  #scalar(): number | boolean | null {
    number.lastIndex = this.#at;
    const digits = number.exec(this.#text)?.[0];
    if (digits !== undefined) {
      this.#at += digits.length;
      return Number(digits);
    }
    for (const [word, value] of literals) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    throw new Refusal('not_json');
  }

  /** Code of the next character that is not white space, which is not yet taken; NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
        return code;
      }
      this.#at++;
    }
  }

  #took(code: number): boolean {
    const found = this.#next() === code;
    this.#at += found ? 1 : 0;
    return found;
  }

  #expect(code: number): void {
    if (!this.#took(code)) {
      throw new Refusal('not_json');
    }
  }
}

/** The escapes of one string, by the platform's parser; what it says of a bad one goes nowhere. */
function unescaped(literal: string): string {
  try {
    return JSON.parse(literal);
  } catch {
    throw new Refusal('not_json');
  }
}
