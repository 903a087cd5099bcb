import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventByteReader } from '../../../src/core/text/event-stream.js';

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

/** The standard's own words (WHATWG HTML, section 9.2.6), on a text that has come whole. */
function plainly(text: string): readonly object[] {
  const events: object[] = [];
  let data: string[] = [];
  let event = '';
  let rest: { id?: string; retry?: number } = {};
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  lines.pop(); // its end has not come
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0 || Object.keys(rest).length > 0)
        events.push({ event: event || 'message', data: data.join('\n'), ...rest });
      data = [];
      event = '';
      rest = {};
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    if (name === 'event') event = value;
    if (name === 'id' && /^[\x21-\x7e]*$/.test(value)) rest = { ...rest, id: value };
    if (name === 'retry' && /^[0-9]+$/.test(value)) rest = { ...rest, retry: Math.max(250, Number(value)) };
  }
  return events;
}

test('says the same as the standard, for every stream and every cut', () => {
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
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      assert.deepEqual(asText(chunks), plainly(bytes.toString()));
    }),
    { numRuns: 200 },
  );
});

test('an event without end is given up, one line or many [A-257]', () => {
  for (const piece of ['data: '.padEnd(1_000, 'x'), 'data: xx\n']) {
    const reader = new EventByteReader(10_000);
    let pushed = 0;
    while (reader.push(Buffer.from(piece)) !== undefined) {
      pushed += 1;
      assert.ok(pushed < 10_000);
    }
  }
  let lines = 0;
  for (const reader = new EventByteReader(10_000); reader.push(Buffer.from('data\n')) !== undefined; ) lines += 1;
  assert.ok(lines < 400, `${lines} empty lines cost their places, too`);
  assert.equal(
    new EventByteReader(10_000).push(Buffer.from(`${'data: x\n'.repeat(5_000)}\n`)),
    undefined,
    'in one chunk',
  );
});

test('a chunk is its owner’s again once it has been read, and a field that is too long is none', () => {
  const reader = new EventByteReader(largest);
  const chunk = Buffer.from('data: kept\n');
  reader.push(chunk);
  chunk.fill(0x21);
  const [event] = reader.push(Buffer.from('\n')) ?? [];
  assert.equal(Buffer.from(event?.data ?? []).toString(), 'kept');
  const long = 'x'.repeat(2_000);
  assert.deepEqual(asText([Buffer.from(`event: ${long}\nid: ${long}\ndata: y\n\n`)]), [
    { event: 'message', data: 'y' },
  ]);
});

/** Bytes of a chunk that are looked at when it is searched. */
function counted(text: string): { readonly chunk: Buffer; readonly searched: () => number } {
  const chunk = Buffer.from(text);
  let searched = 0;
  const search = chunk.indexOf.bind(chunk);
  const indexOf = (wanted: number, from = 0): number => {
    const found = search(wanted, from);
    searched += (found === -1 ? chunk.length : found + 1) - from;
    return found;
  };
  return { chunk: Object.assign(chunk, { indexOf }), searched: () => searched };
}

test('lines are found in linear time, whichever line ends there are and whichever there are not', () => {
  for (const text of ['\r', '\n', '\r\n', 'a\r', 'data: a\n', `${'\r'.repeat(50)}\n`]) {
    const { chunk, searched } = counted(text.repeat(2_000));
    assert.ok(new EventByteReader(largest).push(chunk) !== undefined);
    assert.ok(searched() <= 3 * chunk.length, `${JSON.stringify(text)}: ${searched()} of ${chunk.length}`);
  }
});

test('an event in pieces of one byte is counted by its size [A-257]', () => {
  const reader = new EventByteReader(largest);
  for (const byte of Buffer.from(`data: ${'x'.repeat(100_000)}`)) reader.push(Buffer.of(byte));
  assert.equal(reader.held, 100_006);
  assert.equal(Buffer.from(reader.push(Buffer.from('\n\n'))?.[0]?.data ?? []).length, 100_000);
  assert.equal(reader.held, 0);
});
