import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteCollector, collectBytes } from '../../../src/core/text/bytes.js';

test('pieces of any size come back as one, and may be overwritten meanwhile', () => {
  const pieces = fc.array(fc.oneof(fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 3_000 })));
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 3 }), (rounds) => {
      const collector = new ByteCollector();
      for (const round of rounds) {
        const expected = Buffer.concat(round);
        for (const piece of round) {
          collector.push(piece);
          piece.fill(0xee);
        }
        assert.equal(collector.size, expected.length);
        assert.ok(expected.equals(collector.take()));
      }
    }),
  );
});

test('a crowd of tiny pieces takes at most twice its size', () => {
  const collector = new ByteCollector();
  for (let count = 0; count < 100_000; count += 1) collector.push(one);
  const whole = collector.take();
  assert.ok(whole.every((byte) => byte === 7));
  assert.ok(whole.buffer.byteLength <= 2 * whole.byteLength, `${whole.buffer.byteLength} bytes`);
});

test('a stream is read up to the limit, and not on behind it', async () => {
  let given = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (; given < 100; given += 1) yield new Uint8Array(10);
  }
  await assert.rejects(
    collectBytes(pieces(), 45, () => new Error('too much')),
    /^Error: too much$/,
  );
  assert.equal(given, 4, 'the fifth piece was the last');
  given = 96;
  assert.equal((await collectBytes(pieces(), 40, () => new Error('too much'))).length, 40);
});

const one = Uint8Array.of(7);
