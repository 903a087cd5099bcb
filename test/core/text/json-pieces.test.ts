import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asciiJsonPieces, jsonPieces } from '../../../src/core/text/json-pieces.js';
import { asciiJson } from '../../../src/core/text/printable.js';

const long = 'é😀"\\\n\ud800'.repeat(3_000);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>('', 'a', long, 1.5, Number.POSITIVE_INFINITY, null, true, {}, []),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom('a', '7', '__proto__', long), tie('value')),
  ),
})).value;

test('in pieces it is what the platform makes of it, on one line or on many', () => {
  fc.assert(
    fc.property(values, (value) => {
      assert.equal([...jsonPieces(value)].join(''), JSON.stringify(value));
      assert.equal([...jsonPieces(value, '  ')].join(''), JSON.stringify(value, undefined, 2));
      assert.equal([...asciiJsonPieces(value)].join(''), asciiJson(value));
    }),
    { numRuns: 20 },
  );
});

test('what is not given is left out', () => {
  const value = { a: undefined, b: [undefined, long], c: { d: undefined, e: long }, f: undefined };
  assert.equal([...jsonPieces(value)].join(''), JSON.stringify(value));
});

test('no piece is long, however large the value and whatever it is made of', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({ index }));
  for (const value of [[long.repeat(10), many], Object.fromEntries(many.entries())]) {
    const pieces = [...asciiJsonPieces(value)];
    assert.equal(pieces.join(''), asciiJson(value));
    const longest = Math.max(...pieces.map((piece) => piece.length));
    assert.ok(longest < 262_144, `${longest} characters`);
    assert.ok(pieces.length < 2_000, `${pieces.length} pieces`);
  }
});
