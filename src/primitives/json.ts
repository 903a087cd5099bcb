import { parseJsonBytes } from './json-parser.js';

/** A JSON object; it has no prototype, so every name on it came from the document. */
export interface JsonObject {
  [name: string]: JsonValue;
}
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export type JsonProblem =
  | 'not_utf8'
  | 'byte_order_mark'
  | 'not_json'
  | 'too_deep'
  | 'too_many_keys'
  | 'duplicate_key';

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: JsonProblem };

export interface JsonLimits {
  /** Levels of arrays and objects; the recursion of the parser is as deep. */
  readonly maxDepth?: number;
  /** Member names, and entries of lists, in the whole document. */
  readonly maxKeys?: number;
  /** The bytes may be overwritten: nobody looks at them afterwards. */
  readonly isOurs?: boolean;
}

/**
 * Parses a JSON text (RFC 8259) from a peer who may be hostile: fatal UTF-8, no byte order mark, a name
 * twice in one object is an error, depth and number of names and entries are limited. Nothing of the text ever stands
 * in the answer's `problem`. A number too large for a double comes out as Infinity.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = {}): ParsedJson {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { ok: false, problem: 'byte_order_mark' };
  }
  const { maxDepth = 64, maxKeys = 10_000, isOurs = false } = limits;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parsed = parseJsonBytes(buffer, { maxDepth, maxKeys, isOurs });
  return parsed.ok || isUtf8(bytes) ? parsed : { ok: false, problem: 'not_utf8' };
}

/** The value when it is an object, and neither null nor an array. */
export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** The member when it is a string; absent, `null` and any other type are undefined. */
export function stringField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** The member when it is a list of strings; absent, `null` and any other shape are undefined. */
export function stringListField(object: JsonObject, name: string): readonly string[] | undefined {
  const value = object[name];
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
}

/** In pieces: the text itself is not wanted. */
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
