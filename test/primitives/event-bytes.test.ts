import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventByteReader } from '../../src/primitives/event-bytes.js';
import { EventStreamReader } from '../../src/primitives/event-stream.js';

const largest = 1_000_000;

function asText(chunks: readonly Uint8Array[]): readonly object[] {
  const reader = new EventByteReader(largest);
  return chunks
    .flatMap((chunk) => reader.push(chunk) ?? assert.fail('too large'))
    .map(({ event, data, ...rest }) => ({
      event: event === '' ? 'message' : event,
      data: Buffer.from(data).toString(),
      ...rest,
    }));
}

test('says the same as the reader of texts, for every stream and every cut', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'data: {"a":1}',
      'data:x',
      'data',
      'data:  y',
      ': comment',
      'event: message',
      'event: ping',
      'other: z',
    ),
    fc.constantFrom(
      'id: 7',
      'id',
      'id: a\u00e9',
      'retry: 500',
      'retry: 0',
      'retry: x',
      '',
      '',
      '',
      'DATA: n',
      'data: é漢😀',
    ),
  );
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 30 });
  fc.assert(
    fc.property(stream, fc.boolean(), fc.array(fc.nat(400), { maxLength: 8 }), (lines, mark, cuts) => {
      const bytes = Buffer.from((mark ? '\ufeff' : '') + lines.map(([text, end]) => text + end).join(''));
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const read = new EventStreamReader().push(bytes);
      assert.deepEqual(asText(chunks), read.ok ? read.events : undefined);
    }),
    { numRuns: 1_000 },
  );
});

test('an event without end is given up, one line or many [A-257]', () => {
  for (const piece of ['data: '.padEnd(1_000, 'x'), 'data: xx\n']) {
    const reader = new EventByteReader(10_000);
    let pushed = 0;
    while (reader.push(Buffer.from(piece)) !== undefined) {
      pushed += 1;
      assert.ok(pushed < 1_000);
    }
  }
});
