import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printable, quoted } from '../../../src/core/text/printable.js';
import { anyText } from '../../support/arbitraries.js';

test('a mark with no letter to stand on, half a character and what is drawn as nothing become visible text', () => {
  assert.equal(printable('\u0338x'), '\\u{338}x');
  assert.equal(printable('\ud800x\u0600\u3164\u2800'), '\\u{d800}x\\u{600}\\u{3164}\\u{2800}');
});

test('writing of any script is left alone', () => {
  for (const text of ['Grüße, l’été', '日本語', 'ภาษาไทยที่นี่', 'हिन्दी', 'שלום', '👍', 'C:\\dir "x"']) {
    assert.equal(printable(text), text);
  }
});

test('quoted text cannot end its quotes early [A-250]', () => {
  assert.equal(quoted('a" and then: b\\'), '"a\\" and then: b\\\\"');
  assert.equal(quoted('\\x1b'), '"\\\\x1b"');
});

test('a long text is cut and says so', () => {
  assert.equal(printable('x'.repeat(11), 10), `${'x'.repeat(10)}…`);
  assert.equal(printable('x'.repeat(10), 10), 'x'.repeat(10));
  assert.equal(printable('ab\x1bcd', 4), 'ab…');
  assert.equal(quoted('abcdef', 3), '"abc…"');
});

test('whatever comes, only printable characters leave, within the limit', () => {
  const anything = anyText({ maxLength: 400 });
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 300 }), (text, max) => {
      const shown = printable(text, max);
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      assert.doesNotMatch(shown, /\p{M}{4}/u);
      assert.ok([...shown].length <= max + 1);
    }),
  );
});

test('what was escaped can be told from what was there: quoting is one to one', () => {
  const anything = anyText({ maxLength: 40 });
  fc.assert(
    fc.property(anything, anything, (one, other) => {
      assert.equal(quoted(one, 1e6) === quoted(other, 1e6), one === other);
    }),
  );
});
