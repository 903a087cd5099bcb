import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventByteReader } from '../../../src/core/text/event-stream.js';

const bytes = (text: string) => new TextEncoder().encode(text);

/** An event as text. */
interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  readonly retry?: number;
}

function readAll(chunks: readonly Uint8Array[], max = 32 * 1024 * 1024): readonly ServerSentEvent[] | 'too_large' {
  const reader = new EventByteReader(max);
  const events: ServerSentEvent[] = [];
  for (const chunk of chunks) {
    const found = reader.push(chunk);
    if (found === undefined) return 'too_large';
    for (const { event, data, ...rest } of found) {
      events.push({ event: event || 'message', data: Buffer.from(data).toString(), ...rest });
    }
  }
  return events;
}

const read = (text: string, max?: number) => readAll([bytes(text)], max);

test('[Q-3.7] the examples of the standard, comments among them', () => {
  assert.deepEqual(read('data: YHOO\ndata: +2\ndata: 10\n\n'), [{ event: 'message', data: 'YHOO\n+2\n10' }]);
  assert.deepEqual(
    read(': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n'),
    [
      { event: 'message', data: 'first event', id: '1' },
      { event: 'message', data: 'second event', id: '' },
      { event: 'message', data: ' third event' },
    ],
  );
  assert.deepEqual(read('data\n\ndata\ndata\n\ndata:'), [
    { event: 'message', data: '' },
    { event: 'message', data: '\n' },
  ]);
  assert.deepEqual(read('data:test\n\ndata: test\n\n'), [
    { event: 'message', data: 'test' },
    { event: 'message', data: 'test' },
  ]);
  assert.deepEqual(read('event: add\ndata: 1\n\nevent: remove\n\ndata: 2\n\n'), [
    { event: 'add', data: '1' },
    { event: 'message', data: '2' },
  ]);
});

test('byte order mark, CR, LF and CRLF, unknown fields and an event that breaks off', () => {
  assert.deepEqual(read('\ufeffdata: 1\r\rdata: 2\r\n\r\ndata: 3\n\nother: x\nDATA: y\n data: z\n\ndata: lost\n'), [
    { event: 'message', data: '1' },
    { event: 'message', data: '2' },
    { event: 'message', data: '3' },
  ]);
});

test('an identifier that is no header value is dropped, with the rest of the event kept [A-161]', () => {
  for (const id of ['a\0b', 'é', '\u2028', 'a\x1bb', 'a ', 'x'.repeat(2000)]) {
    assert.deepEqual(
      read(`id: ${id}\ndata: 1\n\n`),
      [{ event: 'message', data: '1' }],
      JSON.stringify(id).slice(0, 20),
    );
  }
  assert.deepEqual(read('id: 1\rX-Evil: 2\ndata: 1\n\n'), [{ event: 'message', data: '1', id: '1' }]);
});

test('retry is digits only, and clamped [A-161]', () => {
  const retryOf = (text: string) => read(`retry: ${text}\ndata: 1\n\n`);
  for (const [text, retry] of Object.entries({
    '0': 250,
    '500': 500,
    '99999999999': 300_000,
    ['9'.repeat(400)]: 300_000,
  })) {
    assert.deepEqual(retryOf(text), [{ event: 'message', data: '1', retry }]);
  }
  for (const text of ['-1', '1.5', '1e3', 'x', '', '0x10', ' 5']) {
    assert.deepEqual(retryOf(text), [{ event: 'message', data: '1' }], text);
  }
});

test('an identifier or a retry without data is told, as an event with nothing to handle', () => {
  assert.deepEqual(read('id: 7\nretry: 500\n\nevent: x\n\n: only\n\n'), [
    { event: 'message', data: '', id: '7', retry: 500 },
  ]);
});

test('an event without end is too large, whatever it is made of [A-257]', () => {
  const endless = [
    'x'.repeat(2000),
    `data: ${'x'.repeat(2000)}`,
    'data: x\n'.repeat(500),
    'data\n'.repeat(500),
    `:${'x'.repeat(2000)}`,
  ];
  for (const text of endless) {
    assert.equal(read(text, 1000), 'too_large', text.slice(0, 10));
  }
  const reader = new EventByteReader(1000);
  assert.equal(reader.push(bytes('x'.repeat(2000))), undefined);
  assert.equal(reader.push(bytes('\n\ndata: 1\n\n')), undefined);
  const drip = Array.from({ length: 2000 }, () => bytes('x'));
  assert.equal(readAll(drip, 1000), 'too_large');
});

test('comments and many small events never add up to one that is too large [A-257]', () => {
  const events = read(`${': nothing\n'.repeat(1000)}${'data: 1\n\n'.repeat(1000)}`, 1000);
  assert.equal(events.length, 1000);
});

test('a megabyte in one line, and in small pieces, are read in linear time [A-257]', () => {
  const payload = 'x'.repeat(1024 * 1024);
  const whole = bytes(`data: ${payload}\n\n`);
  const chunks = Array.from({ length: Math.ceil(whole.length / 1024) }, (_, at) =>
    whole.subarray(at * 1024, at * 1024 + 1024),
  );
  const events = readAll(chunks);
  assert.equal(events !== 'too_large' && events[0]?.data.length, payload.length);
  assert.equal(read('\n'.repeat(100_000)).length, 0);
  assert.equal(read('data:1\r\r'.repeat(10_000)).length, 10_000);
});

const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const word = fc.string({ unit: fc.constantFrom('a', ' ', ':', 'é', '日', '👍', '\u0000', '"'), maxLength: 6 });
const model = fc.record({
  event: fc.constantFrom('message', 'endpoint'),
  lines: fc.array(word, { minLength: 1, maxLength: 4 }),
});

test('events written with any line ends and cut anywhere are read back as they were', () => {
  const written = fc.array(fc.tuple(model, lineEnd), { maxLength: 5 });
  const cuts = fc
    .array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 30 })
    .filter((sizes) => sizes.some((size) => size > 0));
  fc.assert(
    fc.property(written, cuts, (entries, sizes) => {
      const text = entries.map(([{ event, lines }, end]) => {
        return [`event: ${event}`, ':comment', ...lines.map((line) => `data: ${line}`), '', ''].join(end);
      });
      const expected = entries.map(([{ event, lines }]) => ({ event, data: lines.join('\n') }));
      // One line end for the whole, so that a CR of one event and an LF of the next do not become one.
      const end = entries[0]?.[1] ?? '\n';
      const whole = bytes(text.join('').replace(/\r\n|\r|\n/g, end));
      assert.deepEqual(readAll(cut(whole, sizes)), expected);
      assert.deepEqual(readAll(cut(whole, [1])), expected);
    }),
  );
});

function cut(whole: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(whole.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test('no bytes make it throw', () => {
  const anything = fc.oneof(
    fc.uint8Array(),
    fc.string({ unit: fc.constantFrom(...'data:id\n\r\0 retry1') }).map(bytes),
  );
  fc.assert(
    fc.property(fc.array(anything), (chunks) => {
      assert.ok(Array.isArray(readAll(chunks)));
    }),
  );
});
