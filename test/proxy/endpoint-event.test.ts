import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EndpointEvents } from '../../src/proxy/endpoint-event.js';

/** What comes out of a stream that is cut there, the addresses below /own replaced by /here; undefined: broken off. */
function passed(text: string, cuts: readonly number[] = []): string | undefined {
  const events = new EndpointEvents((address) => (address.startsWith('/own') ? `/here${address.slice(4)}` : undefined));
  const bytes = Buffer.from(text, 'latin1');
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let out = '';
  for (const [index, end] of places.slice(1).entries()) {
    const piece = events.push(bytes.subarray(places[index], end));
    if (piece === undefined) return undefined;
    out += Buffer.from(piece).toString('latin1');
  }
  return out + Buffer.from(events.rest()).toString('latin1');
}

const everywhere = (text: string): readonly number[] => Array.from({ length: text.length }, (_, at) => at);

/** The lines of one event, in every form that a reader takes for the same. */
const forms = (address: string): readonly (readonly string[])[] => [
  ['event: endpoint', `data: ${address}`],
  ['event:endpoint', `data:${address}`],
  [`data: ${address}`, 'event: endpoint'],
  ['\xef\xbb\xbfevent: endpoint', `data: ${address}`],
  [': comment', 'event: endpoint', `data: ${address}`],
  ['id: 7', 'event: endpoint', 'retry: 5', `data: ${address}`, ': comment'],
  ['event: message', 'event: endpoint', `data: ${address}`].slice(1),
  ['data: {"a":1}', '', 'event: endpoint', `data: ${address}`],
  ['event: endpoint', 'data: /own/first', '', 'event: endpoint', `data: ${address}`],
  ['event: message', 'data: x', '', '', 'event: endpoint ', `data: ${address}`],
];

test('an address is judged and replaced in whatever form the event comes, with any line ends, cut anywhere [A-222]', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    for (const [index, lines] of forms('/own/messages?a=1').entries()) {
      const text = [...lines, '', 'data: next', '', ''].join(end);
      const expected = text.replaceAll('/own', '/here');
      assert.equal(passed(text), expected, JSON.stringify(text));
      assert.equal(passed(text, everywhere(text)), expected, `${index} in single bytes`);
    }
    for (const lines of forms('https://evil.example/')) {
      const text = [...lines, '', ''].join(end);
      assert.equal(passed(text), undefined, JSON.stringify(text));
      assert.equal(passed(text, everywhere(text)), undefined, JSON.stringify(text));
    }
  }
});

test('what a reader could put together to another address is broken off, however long it is [A-222]', () => {
  for (const text of [
    'event: endpoint\ndata: /own\ndata: /x\n\n',
    'event: endpoint\ndata: https://ev\ndata: il.example/\n\n',
    'event: endpoint\ndata\ndata: /own\n\n',
    `data: https://evil.example/${'x'.repeat(20_000)}\nevent: endpoint\n\n`,
    `event: endpoint\ndata: /own/${'x'.repeat(20_000)}\n\n`,
    `event: endpoint\n: ${'x'.repeat(20_000)}\ndata: https://evil.example/\n\n`,
    'event: message\ndata: https://evil.example/\nevent: endpoint\n\n',
    `event:${' '.repeat(9_000)}endpoint\ndata: https://evil.example/\n\n`,
  ]) {
    assert.equal(passed(text), undefined, text.slice(0, 60));
    assert.equal(passed(text, everywhere(text)), undefined, text.slice(0, 60));
  }
  assert.equal(passed('data: 1\n\nevent: endpoint\ndata: https://evil.example/'), 'data: 1\n\n', 'without an end');
  assert.equal(passed('data: 1\n\ndata: https://evil.example/\nevent: endpoint'), 'data: 1\n\n', 'nor a line end');
});

test('of a line without an end its beginning is held, and no more [A-226]', () => {
  const events = new EndpointEvents(() => undefined);
  const chunk = Buffer.alloc(65_536, 'x');
  const before = process.memoryUsage().heapUsed;
  for (let pushed = 0; pushed < 4_096; pushed += 1) assert.equal(events.push(chunk)?.length, chunk.length);
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 128 * 1_048_576, `${Math.round(grown / 1_048_576)} MiB after 256`);
});

test('other events pass as they are, and the large ones at once', () => {
  const events = new EndpointEvents(() => undefined);
  const taken = (text: string) => Buffer.from(events.push(Buffer.from(text)) ?? []).toString();
  assert.equal(taken('data: {"half'), '');
  assert.equal(taken('":1}\n\n'), 'data: {"half":1}\n\n');
  assert.equal(taken('event: message\ndata: {"ha'), 'event: message\ndata: {"ha');
  assert.equal(taken('lf":1}\n\n: a'), 'lf":1}\n\n');
  assert.equal(taken('\n\n'), ': a\n\n');
  const large = `data: ${'x'.repeat(9_000)}`;
  assert.equal(taken(large), large);
  assert.equal(taken('event: endpoint'), 'event: endpoint', 'in the middle of a line');
  assert.equal(taken('\n\n'), '\n\n');
});

const line = fc.oneof(
  fc.constantFrom(
    'event: endpoint',
    'event: message',
    'event:',
    'data: /own/a',
    'data',
    'data: https://evil/',
    'id: 1',
  ),
  fc.constantFrom('', '', '', ': c', 'x', 'eventdata: endpoint', 'data:event: endpoint', 'event : endpoint'),
);

test('for every stream and every cut: broken off for an address that is not its own, and else nothing is lost or made up [A-222]', () => {
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 });
  fc.assert(
    fc.property(stream, fc.array(fc.nat(300), { maxLength: 6 }), (lines, cuts) => {
      const text = `${lines.map(([content, end]) => content + end).join('')}\n\n`;
      const addresses = endpointsIn(text);
      const isOwn = addresses.every((address) => /^\/own[^\n]*$/.test(address));
      const out = passed(text, cuts);
      if (!isOwn) assert.equal(out, undefined);
      // A kind that changes within an event is broken off, too: no server does that.
      else if (out !== undefined) {
        assert.deepEqual(
          endpointsIn(out),
          addresses.map((address) => address.replace('/own', '/here')),
        );
        assert.equal(out.replaceAll('/here', '/own'), text);
      }
    }),
  );
});

/** The data of each `endpoint` event, as the standard has it (WHATWG HTML, section 9.2.6). */
function endpointsIn(text: string): readonly string[] {
  const found: string[] = [];
  let data: string[] = [];
  let event = '';
  for (const one of text.split(/\r\n|\r|\n/)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(one) ?? [];
    if (name === 'data') data.push(value);
    if (name === 'event') event = value;
    if (one !== '') continue;
    if (event === 'endpoint' && data.length > 0) found.push(data.join('\n'));
    data = [];
    event = '';
  }
  return found;
}
