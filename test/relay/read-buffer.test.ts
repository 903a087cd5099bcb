import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadBuffer } from '../../src/relay/read-buffer.js';

test('there is much memory to read into only while a long body comes', () => {
  const memory = new ReadBuffer(() => true);
  const size = () => memory.buffer().length;
  const sizes = [100_000, 1_000_000, 0, 131_072, 131_073].map((count) => {
    memory.expect(count);
    return size();
  });
  assert.deepEqual(sizes, [16_384, 131_072, 16_384, 16_384, 131_072]);
});
