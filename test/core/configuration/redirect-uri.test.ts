import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readRedirectUri, redirectUriIn, redirectUriText } from '../../../src/core/configuration/redirect-uri.js';
import { anyPath } from '../../support/arbitraries.js';

const taken = [
  'http://localhost:3118/callback',
  'http://127.0.0.1:3334/oauth/callback',
  'http://[::1]:7777/cb',
  'http://localhost/callback',
  'http://localhost:3118',
  'http://localhost:3118/',
  'http://127.0.0.1:65535/a%2Fb/~c',
];

test('[R-2.5d] a redirect URI to this machine is read, and spelled as it was, with a path or none', () => {
  for (const text of taken) {
    const read = readRedirectUri(text);
    assert.ok(read.ok, text);
    assert.equal(redirectUriText(read.value), text);
  }
});

test('[A-108] whatever leads elsewhere, or would come back spelled otherwise, is refused', () => {
  const refused = [
    '',
    'localhost:3118/callback',
    'https://localhost:3118/callback',
    'http://example.com/callback',
    'http://localhost.example.com:3118/callback',
    'http://127.0.0.1.evil.example:3118/callback',
    'http://127.0.0.2:3118/callback',
    'http://0.0.0.0:3118/callback',
    'http://[::]:3118/callback',
    'http://2130706433:3118/callback',
    'http://LOCALHOST:3118/callback',
    'HTTP://localhost:3118/callback',
    'http://localhost.:3118/callback',
    'http://me@localhost:3118/callback',
    'http://localhost:3118@evil.example/callback',
    'http://localhost:80/callback',
    'http://localhost:03118/callback',
    'http://localhost:70000/callback',
    'http://localhost:/callback',
    'http://localhost:3118/callback?x=1',
    'http://localhost:3118/callback#x',
    'http://localhost:3118/a/../b',
    'http://localhost:3118/a/%2e%2e/b',
    'http://localhost:3118/a/./b',
    'http://localhost:3118//evil.example',
    'http://localhost:3118/a b',
    'http://localhost:3118/a\\b',
    'http://localhost:3118/ä',
    'http://localhost:3118/%zz',
    'http://localhost:3118/a\nb',
    'http://localhost:3118/a;rm',
    'http://localhost:3118/$(x)',
    ' http://localhost:3118/callback',
    `http://localhost:3118/${'x'.repeat(300)}`,
  ];
  for (const text of refused) assert.equal(readRedirectUri(text).ok, false, text);
});

test('what is read is what a browser asks for, character for character', () => {
  const host = fc.constantFrom('127.0.0.1', '[::1]', 'localhost');
  const port = fc.option(fc.integer({ min: 0, max: 70_000 }));
  const path = fc.oneof(anyPath, fc.string(), fc.constantFrom('', '/', '/callback', '/a/../b', '//x'));
  fc.assert(
    fc.property(host, port, path, (host, port, path) => {
      const text = `http://${host}${port === null ? '' : `:${port}`}${path}`;
      const read = readRedirectUri(text);
      if (!read.ok) return;
      const url = new URL(text);
      assert.equal(redirectUriText(read.value), text);
      assert.equal(url.host, read.value.port === undefined ? host : `${host}:${read.value.port}`);
      assert.equal(url.href, `http://${url.host}${read.value.path || '/'}`);
    }),
    { numRuns: 2000 },
  );
});

test('the address that an authorization server says it wants is found, and no other', () => {
  const used = 'http://127.0.0.1:4321/callback';
  const named = (text: string) => {
    const found = redirectUriIn(text, used);
    return found && redirectUriText(found);
  };
  assert.equal(named('redirect_uri must be http://localhost:3118/callback.'), 'http://localhost:3118/callback');
  assert.equal(named(`${used} is not "http://127.0.0.1:3334/oauth"`), 'http://127.0.0.1:3334/oauth');
  assert.equal(named('use http://localhost (any port)'), 'http://localhost');
  assert.equal(named(`${used} is not allowed`), undefined);
  assert.equal(named('use https://evil.example/callback'), undefined);
  assert.equal(named('use http://localhost:3118/$(id) or http://localhost.evil.example/'), undefined);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const found = redirectUriIn(`http://localhost${text}`, used);
      assert.ok(found === undefined || readRedirectUri(redirectUriText(found)).ok);
    }),
  );
});
