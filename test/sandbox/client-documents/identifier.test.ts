import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isTrusted,
  readIdentifier,
} from '../../../src/sandbox/authorization-server/client-documents/client-documents.js';
import { checkDocumentRules } from '../../../src/sandbox/client-document-rules.js';
import { anyUrl } from '../../support/arbitraries.js';

const trusted: readonly (readonly [entry: string, host: string, expected: boolean])[] = [
  ['example.com', 'example.com', true],
  ['example.com:443', 'example.com', true],
  ['example.com', 'example.com:8443', false],
  ['example.com:8443', 'example.com:8443', true],
  ['example.com', 'www.example.com', false],
  ['example.com', 'badexample.com', false],
  ['example.com', 'example.com.evil.example', false],
  ['example.com', 'example.com.', false],
  ['*.example.com', 'www.example.com', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'badexample.com', false],
  ['*.example.com', 'www.example.com:8443', false],
  ['*.example.com:8443', 'www.example.com:8443', true],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example', true],
  ['[::1]:8443', '[::1]:8443', true],
];

for (const [entry, host, expected] of trusted) {
  test(`[R-5.8i] a list with ${entry} ${expected ? 'takes' : 'does not take'} a client of ${host}`, () => {
    assert.equal(isTrusted(new URL(`https://${host}/c.json`), [entry]), expected);
  });
}

test('[R-5.8i] with no list every domain is taken, with an empty one none', () => {
  const url = new URL('https://example.com/c.json');
  assert.deepEqual([isTrusted(url, undefined), isTrusted(url, [])], [true, false]);
});

test('[R-5.8g] [R-5.8i] a rule that could never match is refused when the sandbox starts', () => {
  for (const allow of ['localhost', 'https://localhost:1', 'LOCALHOST:1', 'a b:1', 'localhost:99999', '*:443']) {
    assert.throws(() => checkDocumentRules({ allow: [allow] }), RangeError, allow);
  }
  for (const trust of ['', '*', 'Example.com', 'https://example.com', 'example.com/', '*.*.com', 'bücher.example']) {
    assert.throws(() => checkDocumentRules({ trust: [trust] }), RangeError, trust);
  }
  assert.throws(() => checkDocumentRules({ ca: 'no certificate' }), RangeError);
  checkDocumentRules({ allow: ['127.0.0.1:8443', '[::1]:8443'], trust: ['*.example.com', 'localhost:8443'] });
});

test('[A-274] whatever is taken for an identifier is an https URL that is spelled like itself', () => {
  const text = fc.oneof(anyUrl, fc.string());
  fc.assert(
    fc.property(text, (clientId) => {
      const read = readIdentifier(clientId);
      if (!read.ok) return;
      assert.deepEqual([read.url.href, read.url.protocol, read.url.hash], [clientId, 'https:', '']);
      assert.notEqual(read.url.pathname, '/');
    }),
  );
});
