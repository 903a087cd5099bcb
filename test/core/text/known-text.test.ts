import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { knownText } from '../../../src/core/text/bytes.js';
import { textAt } from '../../../src/core/text/json-scan.js';
import { anyText } from '../../support/arbitraries.js';

const word = fc.oneof(
  fc.constantFrom('jsonrpc', 'id', 'tools/call', 'notifications/message', 'event', 'jsonrpd', 'ie', ''),
  fc.string({ maxLength: 100 }),
);

test('a text that is known is the one that the bytes spell, and no other', () => {
  assert.equal(knownText(Buffer.from('xjsonrpcx'), 1, 8), 'jsonrpc');
  assert.equal(knownText(Buffer.from('jsonrpd'), 0, 7), undefined);
  fc.assert(
    fc.property(word, fc.nat(5), fc.nat(5), (text, before, after) => {
      const bytes = Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(text), Buffer.alloc(after, 'y')]);
      const known = knownText(bytes, before, bytes.length - after);
      if (known !== undefined) assert.equal(known, text);
    }),
  );
});

test('the text of a JSON string is what JSON.parse makes of it, whatever is in it and however long it is', () => {
  const long = fc.integer({ min: 0, max: 200_000 }).map((length) => 'a'.repeat(length));
  fc.assert(
    fc.property(fc.oneof(word, anyText(), long), (text) => {
      assert.equal(textAt(Buffer.from(` ${JSON.stringify(text)} `), 1, 1_000_000), text);
    }),
  );
});
