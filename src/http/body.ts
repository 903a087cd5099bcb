import type { Transform } from 'node:stream';
import { mediaTypeIs } from '../core/text/characters.js';

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');

/**
 * Whether a body that the end of its TLS connection ends is whole (RFC 9112 section 9.8). Node.js does not tell
 * whether the server closed TLS (RFC 8446 section 6.1) or the connection was cut under it, so the body has to
 * prove its end itself: as JSON, whose last bracket closes the first. A response other than a 200 may have no body.
 */
export class ClosedEnd {
  readonly #isJson: boolean;
  readonly #mayBeEmpty: boolean;
  #part: 'before' | 'within' | 'string' | 'escape' | 'after' | 'other' = 'before';
  #isEmpty = true;
  #depth = 0;

  constructor(status: number, contentType: string | undefined) {
    this.#isJson = mediaTypeIs(contentType, 'application/json') || /^[^;,]+\+json\s*(?:;|$)/i.test(contentType ?? '');
    this.#mayBeEmpty = status !== 200;
  }

  get isProven(): boolean {
    return this.#isEmpty ? this.#mayBeEmpty : this.#isJson && this.#part === 'after';
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#isEmpty = false;
    if (!this.#isJson) return;
    for (const byte of chunk) this.#take(byte);
  }

  #take(byte: number): void {
    if (this.#part === 'escape') this.#part = 'string';
    else if (this.#part === 'string') {
      if (byte === quote) this.#part = 'within';
      else if (byte === backslash) this.#part = 'escape';
    } else if (this.#part === 'within') this.#takeWithin(byte);
    else if (!isBlank(byte)) {
      const isStart = this.#part === 'before' && (byte === openObject || byte === openList);
      this.#part = isStart ? 'within' : 'other';
      this.#depth = 1;
    }
  }

  #takeWithin(byte: number): void {
    if (byte === quote) this.#part = 'string';
    else if (byte === openObject || byte === openList) this.#depth += 1;
    else if (byte === closeObject || byte === closeList) this.#depth -= 1;
    if (this.#depth === 0) this.#part = 'after';
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** No Brotli: Node.js' decoder wrote out of bounds (CVE-2026-111497), and Node.js 20 will never be fixed. */
const decoders = { gzip: 'createGunzip', 'x-gzip': 'createGunzip', deflate: 'createInflate' } as const;

/** A coding that a body can be freed of. */
export type Coding = keyof typeof decoders;

/**
 * The coding that a body has to be freed of although `identity` was asked for, of its `Content-Encoding` values. A chain
 * of codings has no bound that can be kept: `several`.
 */
export function codingOf(values: readonly string[]): Coding | 'several' | 'unknown' | undefined {
  const codings = values
    .join()
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding] = codings;
  if (codings.length > 1) return 'several';
  return coding === undefined || Object.hasOwn(decoders, coding) ? (coding as Coding | undefined) : 'unknown';
}

/** Loads what it needs at once, when it is called: hardly any server sends what it was asked not to. */
export function createDecoder(coding: Coding): Transform {
  return process.getBuiltinModule('node:zlib')[decoders[coding]]();
}
