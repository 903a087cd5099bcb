import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('comments and many small events never add up to one that is too large [A-257]', () => {
  const events = read(`${': nothing\n'.repeat(1000)}${'data: 1\n\n'.repeat(1000)}`, 1000);
  assert.equal(events.length, 1000);
});
