import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../../src/mcp/stdio/line-splitter.js';

function split(chunks: readonly Uint8Array[], most = 1_000): readonly string[] {
  const lines = new LineSplitter(most);
  const found = [...chunks.flatMap((chunk) => lines.push(chunk)), ...lines.finish()];
  return found.map((line) => (line === 'too_long' ? '(too long)' : Buffer.from(line).toString('latin1')));
}

test('lines end at LF only, wherever the bytes are cut [A-235]', () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((raw) => raw.map((byte) => (byte < 40 ? 0x0a : byte)));
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60), { maxLength: 6 }), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
      const text = Buffer.from(whole).toString('latin1');
      const expected = text.split('\n').filter((line) => /[^\t\r ]/.test(line));
      assert.deepEqual(split(chunks), expected);
    }),
  );
  assert.deepEqual(split([Buffer.from('a\r\nb\rc\u2028d\n\r\n\n')]), [
    'a',
    Buffer.from('b\rc\u2028d').toString('latin1'),
  ]);
});

test('a line beyond the limit is told and not kept, and the next one is read [A-235]', () => {
  assert.deepEqual(split([Buffer.from(`${'x'.repeat(11)}\nok\n`)], 10), ['(too long)', 'ok']);
  const pieces = Array.from({ length: 100 }, () => Buffer.from('x'.repeat(9)));
  assert.deepEqual(split([...pieces, Buffer.from('\nok')], 10), ['(too long)', 'ok']);
});

test('a byte order mark before the first line and lines of nothing but blanks are left out', () => {
  const mark = [0xef, 0xbb, 0xbf];
  assert.deepEqual(split([Uint8Array.of(...mark.slice(0, 2)), Buffer.from([...mark.slice(2), 0x61])]), ['a']);
  assert.deepEqual(split([Buffer.from('\ufeff\n \t\r\n\r\r\n a\n')]), [' a']);
  assert.deepEqual(split([Buffer.from('a\n\ufeffb')]), ['a', Buffer.from('\ufeffb').toString('latin1')]);
});
