import { JsonNumber, jsonNumber, jsonText } from './json-number.js';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  skipScalar,
  skipSpace,
  skipString,
} from './json-scan.js';

/** A JSON object; it has no prototype, so every name in it came from the document. */
export interface JsonObject {
  [name: string]: JsonValue;
}

export type JsonValue = string | number | JsonNumber | boolean | null | JsonValue[] | JsonObject;

export type JsonProblem = 'not_utf8' | 'byte_order_mark' | 'not_json' | 'too_deep' | 'too_many_keys' | 'duplicate_key';

/** Each completes a sentence whose subject is the text. */
const troubles: Readonly<Record<JsonProblem, string>> = {
  not_utf8: 'is not UTF-8',
  byte_order_mark: 'begins with a byte order mark',
  not_json: 'is not JSON',
  too_deep: 'is nested too deeply',
  too_many_keys: 'has too many members',
  duplicate_key: 'has a name twice',
};

/** What is wrong with a JSON text. @param subject Such as “it”. */
export function jsonTrouble(problem: JsonProblem, subject: string): string {
  return `${subject} ${troubles[problem]}`;
}

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: JsonProblem };

export interface JsonLimits {
  /** Levels of arrays and objects; the parser recurses as deep. */
  readonly maxDepth?: number;
  /** Member names and list entries in the whole document. */
  readonly maxKeys?: number;
  /** Memory of the result, roughly, in bytes. */
  readonly maxCost?: number;
  /** Keep a number that a double cannot hold as a `JsonNumber`. */
  readonly keepsNumbers?: boolean;
}

/**
 * Parses JSON (RFC 8259) from a possibly hostile peer: strict UTF-8, no byte order mark, no duplicate names, limited depth
 * and number of names and entries. `problem` never quotes the text. A number too large for a double becomes Infinity unless
 * `keepsNumbers`.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = {}): ParsedJson {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { ok: false, problem: 'byte_order_mark' };
  const { maxDepth = 64, maxKeys = 10_000, maxCost = Number.POSITIVE_INFINITY, keepsNumbers = false } = limits;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const value = new Parser(buffer, { maxDepth, maxKeys, maxCost, keepsNumbers }).document();
    return { ok: true, value };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { ok: false, problem: isUtf8(bytes) ? cause.problem : 'not_utf8' };
  }
}

/** `parseJson` for an object; undefined for anything else. */
export function parseObject(input: Uint8Array | string, limits: JsonLimits = {}): JsonObject | undefined {
  const parsed = parseJson(typeof input === 'string' ? new TextEncoder().encode(input) : input, limits);
  return parsed.ok ? asObject(parsed.value) : undefined;
}

/** Unescapes the inside of a JSON string; returns it unchanged if it is invalid. */
export function unescapedJson(escaped: string): string {
  try {
    return String(JSON.parse(`"${escaped}"`));
  } catch {
    return escaped;
  }
}

/** The value if it is an object, neither null nor an array. */
export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
    ? value
    : undefined;
}

/** A peer's value as text; a string unchanged. (`String` throws for an object without a prototype.) */
export function jsonWords(value: JsonValue | undefined, absent: string): string {
  return typeof value === 'string' ? value : (jsonText(value) ?? absent);
}

/** The member if it is a string, else undefined. */
export function stringField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** The member if it is a list of strings, else undefined. */
export function stringListField(object: JsonObject, name: string): readonly string[] | undefined {
  const value = object[name];
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
}

/** In pieces, so that the text is never built. */
function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for (let at = 0; at < bytes.byteLength; at += pieceLength)
      decoder.decode(bytes.subarray(at, at + pieceLength), { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

const pieceLength = 65_536;

/** Ends parsing at any depth; never leaves this file. */
class Refusal {
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    this.problem = problem;
  }
}

/** In bytes, measured. A new name also goes into tables of the engine. */
const costs = { entry: 16, level: 36, text: 24, newName: 200 } as const;

/** In characters. Longer texts are outside the engine's heap. */
const longText = 16 * 1_048_576;

const wideCharacter = /[\u0100-\uffff]/;

/** @param spelled Bytes of its spelling: equal to the characters if all are ASCII. */
function costOfText(text: string, spelled: number): number {
  const isWide = text.length < spelled && text.length < longText && wideCharacter.test(text);
  return costs.text + (isWide ? 2 : 1) * text.length;
}

/** The first letters of `true`, `false`, `null`. */
const [letterT, letterF, letterN] = [0x74, 0x66, 0x6e];

type ParserLimits = Required<JsonLimits>;

/**
 * A recursive descent parser for RFC 8259 without duplicate names. It reads the bytes themselves: the whole text would take
 * as much memory again, or twice as much.
 */
class Parser {
  readonly #bytes: Buffer;
  readonly #limits: ParserLimits;
  #at = 0;
  #keys = 0;
  readonly #names = new Set<string>();
  #cost = 0;
  /** Entries of all open lists: each list then takes its own at once, and no more room than they need. */
  #entries: JsonValue[] = [];

  constructor(bytes: Buffer, limits: ParserLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  document(): JsonValue {
    const value = this.#value(0);
    if (this.#next() !== undefined) throw new Refusal('not_json');
    return value;
  }

  #value(depth: number): JsonValue {
    const first = this.#next();
    if (first === quote) return this.#string();
    if (first === openBrace || first === openBracket) {
      if (depth >= this.#limits.maxDepth) throw new Refusal('too_deep');
      this.#at++;
      this.#spend(costs.level);
      return first === openBrace ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    return this.#scalar(first);
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = Object.setPrototypeOf({}, null); // a third of the memory of Object.create(null)
    if (this.#took(closeBrace)) return object;
    do {
      if (this.#next() !== quote) throw new Refusal('not_json');
      const name = this.#name();
      this.#count();
      if (name in object) throw new Refusal('duplicate_key');
      this.#expect(colon);
      object[name] = this.#value(depth);
    } while (this.#took(comma));
    this.#expect(closeBrace);
    return object;
  }

  #array(depth: number): JsonValue[] {
    if (this.#took(closeBracket)) return [];
    const start = this.#entries.length;
    do {
      this.#count();
      const entry = this.#value(depth);
      this.#entries.push(entry);
    } while (this.#took(comma));
    this.#expect(closeBracket);
    if (start > 0) return this.#entries.splice(start);
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** Each name and list entry costs memory, however short. */
  #count(): void {
    if (++this.#keys > this.#limits.maxKeys) throw new Refusal('too_many_keys');
    this.#spend(costs.entry);
  }

  #spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limits.maxCost) throw new Refusal('too_many_keys');
  }

  #name(): string {
    const start = this.#at;
    const name = this.#text();
    if (this.#names.has(name)) return name;
    this.#names.add(name);
    this.#spend(costs.newName + 4 * costOfText(name, this.#at - start - 2));
    return name;
  }

  #string(): string {
    const start = this.#at;
    const text = this.#text();
    this.#spend(costOfText(text, this.#at - start - 2));
    return text;
  }

  #text(): string {
    const start = this.#at;
    this.#past(skipString(this.#bytes, start));
    const isEscaped = this.#bytes.subarray(start, this.#at).includes(backslash);
    return isEscaped
      ? JSON.parse(this.#bytes.toString('utf8', start, this.#at))
      : this.#bytes.toString('utf8', start + 1, this.#at - 1);
  }

  #scalar(first: number | undefined): number | JsonNumber | boolean | null {
    const start = this.#at;
    this.#past(skipScalar(this.#bytes, start));
    switch (first) {
      case letterT:
        return true;
      case letterF:
        return false;
      case letterN:
        return null;
      default:
        return this.#number(this.#bytes.toString('latin1', start, this.#at));
    }
  }

  #number(text: string): number | JsonNumber {
    const value = this.#limits.keepsNumbers ? jsonNumber(text) : Number(text);
    if (typeof value !== 'number') this.#spend(costs.level + costOfText(text, text.length));
    return value;
  }

  /** @param next Where parsing continues; -1 for invalid JSON. */
  #past(next: number): void {
    if (next === -1) throw new Refusal('not_json');
    this.#at = next;
  }

  /** The next byte after white space, not consumed; undefined at the end. */
  #next(): number | undefined {
    this.#at = skipSpace(this.#bytes, this.#at);
    return this.#bytes[this.#at];
  }

  #took(byte: number): boolean {
    const found = this.#next() === byte;
    this.#at += found ? 1 : 0;
    return found;
  }

  #expect(byte: number): void {
    if (!this.#took(byte)) throw new Refusal('not_json');
  }
}
