import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isFieldName, isHeaderValue } from '../../../src/core/text/characters.js';
import {
  headersFromStore,
  headersToStore,
  parseSecretHeaders,
  secretHeaderLimits,
  withSecretHeaders,
  withSecretHeadersFlat,
} from '../../../src/core/text/secret-headers.js';
import { anyText } from '../../support/arbitraries.js';
import { Secret } from '../../support/product.js';

const plain = (text: string) => {
  const parsed = parseSecretHeaders(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.headers.map(({ name, value }) => [name, value.reveal()]);
};

const refusal = (text: string) => {
  const parsed = parseSecretHeaders(text);
  assert.ok(!parsed.ok);
  return parsed;
};

test('headers for a server: one a line, as curl takes them of a file', () => {
  assert.deepEqual(plain('X-Api-Key: abc\n'), [['X-Api-Key', 'abc']]);
  assert.deepEqual(plain('\ufeff# a gateway\r\n\r\nX-Api-Key:abc\r\n\tX'.slice(0, -2)), [['X-Api-Key', 'abc']]);
  assert.deepEqual(plain('X-Api-Key: abc\r'), [['X-Api-Key', 'abc']]); // a shell takes the last line feed away
  assert.deepEqual(plain('  \nX-Tenant:\t two words \t\nx-key: a:b#c'), [
    ['X-Tenant', 'two words'],
    ['x-key', 'a:b#c'],
  ]);
});

test('headers for a server: what HTTP, the protocol or the login set is refused, and its value is not repeated', () => {
  const names = [
    ...['Authorization', 'authorization', 'DPoP', 'Cookie', 'Set-Cookie', 'Host', 'Origin', 'Sec-Fetch-Site'],
    ...['Content-Length', 'Content-Type', 'Transfer-Encoding', 'Connection', 'TE', 'Upgrade', 'Trailer', 'Expect'],
    ...['Keep-Alive', 'Proxy-Authorization', 'Proxy-Connection', 'Mcp-Session-Id', 'MCP-Protocol-Version', 'Accept'],
    ...['Accept-Encoding', 'If-None-Match', 'Range', 'Last-Event-ID', 'X-HTTP-Method-Override', 'X-Original-URL'],
  ];
  for (const name of [...names, ...names.map((one) => one.replaceAll('-', '_'))]) {
    const { why, line } = refusal(`X-Ok: 1\n${name}: the-secret-value`);
    assert.equal(line, 2, name);
    assert.match(why, /is set by HTTP/, name);
    assert.doesNotMatch(why, /the-secret-value/);
  }
});

test('headers for a server: a line that is none, a value that cannot be sent, twice, too many, too long', () => {
  const tooMany = Array.from({ length: secretHeaderLimits.headers + 1 }, (_, at) => `X-${at}: 1`).join('\n');
  const rows: readonly (readonly [text: string, why: RegExp])[] = [
    ['', /no header in it/],
    ['# nothing\n\n', /no header in it/],
    ['the-secret-value', /not “Name: value”/],
    [': the-secret-value', /not “Name: value”/],
    ['X Key: the-secret-value', /not “Name: value”/],
    ['X-Key : the-secret-value', /not “Name: value”/],
    [' folded: the-secret-value', /not “Name: value”/],
    ['X-Ké: the-secret-value', /not “Name: value”/],
    ['X-Key:', /no value/],
    ['X-Key: \t ', /no value/],
    ['X-Key: the-secret-value\rX-Other: 1', /no header may hold/],
    ['X-Key: the-secret-value\0', /no header may hold/],
    ['X-Key: the-sécret-value', /no header may hold/],
    ['X-Key: 1\nx-key: the-secret-value', /twice/],
    ['X-Key: 1\nX_Key: the-secret-value', /twice/],
    [tooMany, /more than 16/],
    [`X-Key: ${'x'.repeat(secretHeaderLimits.value + 1)}`, /longer than 4096/],
  ];
  for (const [text, why] of rows) {
    const refused = refusal(text);
    assert.match(refused.why, why, text.slice(0, 60));
    assert.doesNotMatch(refused.why, /the-s.cret-value/);
  }
});

test('headers for a server: whatever is in a file, what is taken of it can be sent, and is kept as it is', () => {
  const line = fc.oneof(
    fc.string(),
    anyText(),
    fc
      .tuple(fc.constantFrom('X-Api-Key', 'x_tenant', 'Te', 'Content-Type', 'a'), fc.string())
      .map((one) => one.join(': ')),
  );
  const text = fc.tuple(fc.array(line), fc.constantFrom('\n', '\r\n')).map(([lines, end]) => lines.join(end));
  fc.assert(
    fc.property(text, (given) => {
      const parsed = parseSecretHeaders(given);
      if (!parsed.ok) return;
      const { headers } = parsed;
      assert.ok(headers.length > 0 && headers.length <= secretHeaderLimits.headers);
      for (const { name, value } of headers) {
        const shown = value.reveal();
        assert.ok(isFieldName(name) && isHeaderValue(shown) && shown !== '' && shown.trim() === shown);
        assert.ok(given.includes(name) && given.includes(shown));
      }
      const stored = JSON.parse(JSON.stringify(headersToStore(headers)));
      const again = headersFromStore(stored)?.map(({ name, value }) => [name, value.reveal()]);
      assert.deepEqual(
        again,
        headers.map(({ name, value }) => [name, value.reveal()]),
      );
      assert.doesNotThrow(() => JSON.stringify(headers));
    }),
  );
});

test('headers for a server: an item of the store that somebody has changed has none', () => {
  const item = (name: unknown, headerValue: unknown) => ({ name, headerValue }) as never;
  for (const wrong of [
    'x',
    [],
    [1],
    [{}],
    [item('Authorization', 'Bearer x')],
    [item('X-Key', 'a\r\nHost: b')],
    [item('X-Key', 'a\nX-Other: b')],
    [item('X-Key', '')],
    [item('#X-Key', 'a')],
    [item('X-Key', 'a'), item('x-key', 'b')],
  ]) {
    assert.equal(headersFromStore(wrong as never), undefined, JSON.stringify(wrong));
  }
});

test('headers for a server: they go in the place of a caller’s of that name, in whatever spelling', () => {
  const own = [
    { name: 'authorization', value: new Secret('Bearer t') },
    { name: 'X-Api-Key', value: new Secret('ours') },
  ];
  const given = [
    ['x-api-key', 'theirs'],
    ['X_Api_Key', 'theirs'],
    ['accept', '*/*'],
  ] as const;
  const wanted = [
    ['accept', '*/*'],
    ['authorization', 'Bearer t'],
    ['X-Api-Key', 'ours'],
  ];
  assert.deepEqual(withSecretHeaders(given, own), wanted);
  assert.deepEqual(withSecretHeadersFlat(given.flat(), own), wanted.flat());
  assert.equal(withSecretHeaders(given, []), given);
});
