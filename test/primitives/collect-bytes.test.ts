import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteCollector } from '../../src/primitives/collect-bytes.js';

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
        assert.ok(collector.take().every((byte, at) => byte === expected[at]));
        assert.equal(collector.held, 0);
      }
    }),
  );
});

test('a crowd of tiny pieces costs about twice what it weighs, and few objects', () => {
  const collector = new ByteCollector();
  for (let count = 0; count < 5_000_000; count += 1) collector.push(one);
  assert.ok(collector.held <= 2 * 5_000_000, `${collector.held} bytes`);
  assert.ok(collector.take().every((byte) => byte === 7));
});

const one = Uint8Array.of(7);
