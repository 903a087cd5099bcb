import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { skipSpace, skipValue } from '../../../src/core/text/json-scan.js';
import { anyText } from '../../support/arbitraries.js';

/** Whether the whole text is one JSON value, by the scanner. */
function scans(bytes: Uint8Array): boolean {
  const end = skipValue(bytes, skipSpace(bytes, 0));
  return end !== -1 && skipSpace(bytes, end) === bytes.length;
}

/** The same, by the platform. */
function parses(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

test('every JSON text is scanned to its end, whatever it holds [A-258]', () => {
  const held = fc.array(fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.dictionary(anyText(), anyText())));
  fc.assert(
    fc.property(held, fc.constantFrom(0, 1, 2), (value, indent) => {
      assert.ok(scans(Buffer.from(JSON.stringify(value, undefined, indent))));
    }),
  );
});

test('what is no JSON, or no UTF-8, is told from what is, as the platform tells it [A-233] [A-235]', () => {
  const texts = ['{"a":[1,-2.5e+3,true,null],"é":"\\u00e9\\ud83d \\\\"}', '[[],{},"",0]', '"\u{1f600}é漢"', '-0.1E-9'];
  const mutation = fc.record({
    text: fc.oneof(fc.constantFrom(...texts), fc.json({ maxDepth: 2 })),
    at: fc.nat(200),
    byte: fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\\n\t 0e.-u\xff\x80', 'latin1')), fc.nat(255)),
    how: fc.constantFrom('replace', 'insert', 'remove', 'cut'),
  });
  fc.assert(
    fc.property(mutation, ({ text, at, byte, how }) => {
      const bytes = [...Buffer.from(text)];
      const place = at % (bytes.length + 1);
      if (how === 'cut') bytes.length = place;
      else bytes.splice(place, how === 'insert' ? 0 : 1, ...(how === 'remove' ? [] : [byte]));
      const changed = Uint8Array.from(bytes);
      assert.equal(scans(changed), parses(changed), Buffer.from(changed).toString('latin1'));
    }),
    { numRuns: 500 },
  );
});

test('depth is no danger [A-235] [A-258]', () => {
  const depth = 100_000;
  assert.ok(scans(Buffer.from('['.repeat(depth) + ']'.repeat(depth))));
  assert.ok(scans(Buffer.from(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)));
  assert.ok(!scans(Buffer.from('['.repeat(depth))));
});
