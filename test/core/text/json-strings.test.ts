import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { skipString } from '../../../src/core/text/json-scalars.js';

/** The end as the grammar has it, byte by byte, for strings without escapes and of ASCII; -1 elsewhere. */
function plainEnd(bytes: Uint8Array): number {
  for (let at = 1; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) return at + 1;
    if (byte < 0x20 || byte >= 0x80 || byte === 0x5c) return -1;
  }
  return -1;
}

test('a long string ends where it ends, whatever byte stands where in it, and wherever it lies in memory', () => {
  const special = fc.constantFrom(0x00, 0x09, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xa2, 0xff);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.nat(7),
      fc.array(fc.tuple(fc.nat(300), special), { maxLength: 3 }),
      (length, offset, specials) => {
        const bytes = new Uint8Array(offset + length + 2).fill(0x78).subarray(offset);
        bytes[0] = 0x22;
        bytes[bytes.length - 1] = 0x22;
        for (const [at, byte] of specials) if (at > 0 && at < bytes.length) bytes[at] = byte;
        const expected = plainEnd(bytes);
        if (expected !== -1) assert.equal(skipString(bytes, 0), expected);
        else assert.ok(skipString(bytes, 0) === -1 || bytes.includes(0x5c), String(bytes));
      },
    ),
    { numRuns: 300 },
  );
});

test('a long text with everything in it is taken for JSON just where JSON.parse takes it', () => {
  const run = fc.integer({ min: 0, max: 200 }).map((length) => 'a'.repeat(length));
  const odd = fc.constantFrom('\\n', '\\u00e9', '\\x', '"', '\\"', '\n', '\x7f', 'é', '中', '😀', '\\', '\0');
  fc.assert(
    fc.property(fc.array(fc.oneof(run, odd), { maxLength: 6 }), fc.nat(3), (parts, offset) => {
      const text = `"${parts.join('')}"`;
      const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).subarray(offset);
      const isJson = (): boolean => {
        try {
          JSON.parse(text);
          return true;
        } catch {
          return false;
        }
      };
      assert.equal(skipString(bytes, 0) === bytes.length, isJson(), text);
    }),
    { numRuns: 200 },
  );
});
