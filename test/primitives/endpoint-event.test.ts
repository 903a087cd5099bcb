import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readEndpointEvent } from '../../src/primitives/endpoint-event.js';

test('the address of a first event of the older transport is found, with all that is around it', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    for (const [before, after] of [
      [`event: endpoint${end}data: `, `${end}${end}`],
      [`event:endpoint${end}data:`, `${end}id: 1${end}${end}data: next${end}${end}`],
      [`event: endpoint${end}id: 7${end}data: `, `${end}${end}`],
    ]) {
      const text = `${before}/messages?a=1${after}`;
      assert.deepEqual(readEndpointEvent(text), { before, address: '/messages?a=1', after });
      for (let cut = 0; cut < text.indexOf(end + end) + 2 * end.length; cut += 1) {
        assert.equal(readEndpointEvent(text.slice(0, cut)), 'more', text.slice(0, cut));
      }
    }
  }
});

test('any other stream is none from its first byte that differs', () => {
  for (const text of [
    ...[
      'data: x',
      ': ping',
      'event: message\n',
      'event: endpoints\n',
      'id: 1\n',
      ' event: endpoint\n',
      '\n',
      'event: e\n',
    ],
    ...[
      'event: endpoint\n\n',
      'event: endpoint\ndata: a\ndata: b\n\n',
      `event: endpoint\n${'x'.repeat(9_000)}`,
    ],
  ]) {
    assert.equal(readEndpointEvent(text), undefined, text.slice(0, 30));
  }
});

const piece = fc.constantFrom(
  'event: endpoint',
  'event:',
  'data: ',
  'data:/m',
  '\n',
  '\r\n',
  '\r',
  'x',
  ' ',
  'id: 1',
);

test('whatever comes: nothing is lost or made up, and nothing is held for long', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const found = readEndpointEvent(text);
      if (found === 'more') assert.ok(text.length <= 8_192);
      else if (found !== undefined) {
        assert.equal(found.before + found.address + found.after, text);
        assert.doesNotMatch(found.address, /[\r\n]/);
        assert.match(found.before, /^event: ?endpoint[\r\n][\s\S]*data: ?$/);
      }
    }),
  );
});
