import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineEditor, type Typed } from '../../../src/app/terminal/line-editor.js';
import { anyText } from '../../support/arbitraries.js';

/** Types the bytes in pieces and gives back how it ended, all that was echoed, and what is left. */
function type(text: string, pieces = 1): { readonly end: Typed; readonly echo: string; readonly rest: string } {
  const bytes = Buffer.from(text);
  const editor = new LineEditor();
  let echo = '';
  let end: Typed = { kind: 'more', echo: '' };
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length && end.kind === 'more'; at += size) {
    end = editor.push(bytes.subarray(at, at + size));
    if (end.kind === 'more') echo += end.echo;
  }
  return { end, echo, rest: Buffer.from(editor.rest).toString() };
}

function line(text: string, pieces = 1): string {
  const { end } = type(text, pieces);
  assert.equal(end.kind, 'line', JSON.stringify(text));
  return end.kind === 'line' ? end.line : '';
}

test('Enter ends the line, and what is typed ahead is kept', () => {
  assert.equal(line('yes\r'), 'yes');
  assert.equal(line('yes\n'), 'yes');
  assert.equal(type('yes\rno\r').rest, 'no\r');
});

test('Backspace, Ctrl-U, Ctrl-C and Ctrl-D do what they do everywhere', () => {
  assert.equal(line('ab\x7fc\bd\r'), 'ad');
  assert.equal(line('\x7f\x7fa\r'), 'a');
  assert.equal(line('abc\x15d\r'), 'd');
  assert.equal(type('ab\x03').end.kind, 'interrupt');
  assert.equal(type('\x04').end.kind, 'end');
  assert.equal(line('a\x04b\r'), 'ab');
  assert.equal(type('ab\x7f').echo, 'ab\b \b');
});

test('arrow keys and other sequences leave nothing in the line, however they are cut', () => {
  const keys = '\x1b[A\x1b[1;5C\x1bOPa\x1b[3~b\x1bx\r';
  for (const pieces of [1, 3, 7, 100]) {
    assert.equal(line(keys, pieces), 'ab');
  }
});

test('a pasted line break is a character and not the end, so that what follows is seen [A-82]', () => {
  const paste = '\x1b[200~http://127.0.0.1:1/callback?code=a\nand more\x1b[201~\r';
  for (const pieces of [1, 5, 200]) {
    assert.equal(line(paste, pieces), 'http://127.0.0.1:1/callback?code=a\nand more');
  }
  assert.equal(line('\x1b[200~one line\r\n\x1b[201~\r'), 'one line');
  assert.equal(line('\x1b[200~a\x03b\x04c\x1b[201~\r'), 'a\x03b\x04c');
});

test('a line longer than the 4,095 bytes of a terminal comes through whole, and one without end does not grow', () => {
  const long = `http://127.0.0.1:1/callback?code=${'a'.repeat(20_000)}`;
  assert.equal(line(`${long}\r`, 9), long);
  assert.equal(line(`${'b'.repeat(100_000)}\r`).length, 65_536);
});

test('no line separator of Unicode ends it, and no letter is cut in two', () => {
  assert.equal(line('a\u2028b\u2029c\u0085d\r', 50), 'a\u2028b\u2029c\u0085d');
  assert.equal(line('ключ🔑\r', 100), 'ключ🔑');
});

test('whatever is typed in whatever pieces, the line is the same, and the echo harmless [A-243]', () => {
  const keys = fc.array(
    fc.oneof(
      fc.constantFrom('\x1b[200~', '\x1b[201~', '\x1b[A', '\x1b', '\x7f', '\x15', '\u202e', '\u009b'),
      anyText({ maxLength: 3 }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 40 }), (parts, pieces) => {
      const text = `${parts.join('').replace(/\p{Surrogate}/gu, '')}\r`;
      assert.deepEqual(type(text, pieces).end.kind, type(text).end.kind);
      assert.doesNotMatch(type(text).echo.replaceAll('\b \b', ''), /[\p{Cc}\p{Cf}]/u);
    }),
  );
});
