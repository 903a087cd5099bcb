import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printable, quoted } from '../../../src/core/text/printable.js';
import { anyText } from '../../support/arbitraries.js';

test('terminal control sequences become visible text [A-243] [A-245]', () => {
  assert.equal(printable('a\x1b[2Jb'), 'a\\x1b[2Jb');
  assert.equal(printable('\x1b]52;c;ZXZpbA==\x07'), '\\x1b]52;c;ZXZpbA==\\x07');
  assert.equal(printable('\x1bP$q"p\x1b\\'), '\\x1bP$q"p\\x1b\\');
  assert.equal(printable('\x9d8;;https://evil\x9c'), '\\x9d8;;https://evil\\x9c');
  assert.equal(printable('\x7f\x00'), '\\x7f\\x00');
});

test('no hyperlink of a terminal survives [A-244]', () => {
  const link = '\x1b]8;;https://evil.example\x1b\\https://bank.example\x1b]8;;\x1b\\';
  assert.ok(!printable(link).includes('\x1b'));
  assert.ok(printable(link).includes('evil.example'));
});

test('nothing can overwrite the line or begin another [A-246] [A-248]', () => {
  assert.equal(printable('Denied\rApproved'), 'Denied\\x0dApproved');
  assert.equal(printable('a\b\b\v\f\t'), 'a\\x08\\x08\\x0b\\x0c\\x09');
  assert.equal(printable('x\n2026-11-20 INFO login ok'), 'x\\x0a2026-11-20 INFO login ok');
  assert.equal(printable('a\u2028b\u2029c\x85d'), 'a\\u{2028}b\\u{2029}c\\x85d');
});

test('bidi, invisible and tag characters become visible text [A-247]', () => {
  assert.equal(printable('\u202eevil\u2066\u2069'), '\\u{202e}evil\\u{2066}\\u{2069}');
  assert.equal(printable('a\u200bb\u200d\ufeff\u00ad'), 'a\\u{200b}b\\u{200d}\\u{feff}\\xad');
  assert.equal(printable('\u{e0041}\u{e007f}\u{e0100}'), '\\u{e0041}\\u{e007f}\\u{e0100}');
  assert.equal(printable('\u3164\u115f\u2800'), '\\u{3164}\\u{115f}\\u{2800}');
  assert.equal(printable('\ud800x\udc00'), '\\u{d800}x\\u{dc00}');
});

test('a flood of combining marks is cut after three, and none stands on our own text [A-247]', () => {
  assert.equal(printable(`e${'\u0301'.repeat(5)}`), `e${'\u0301'.repeat(3)}\\u{301}\\u{301}`);
  assert.equal(printable('\u0338x'), '\\u{338}x');
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
