import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CookieJar } from '../../../src/core/text/cookies.js';

const server = 'https://example.com/a/mcp';
const now = Date.UTC(2026, 0, 1);

function jarOf(...lines: readonly string[]): CookieJar {
  const jar = new CookieJar();
  jar.take(lines, server, now);
  return jar;
}

test('a cookie goes back to the very origin that set it, whatever its Domain, and below its path (RFC 6265 section 5.1.4)', () => {
  const jar = jarOf(
    'all=1; Path=/; Domain=example.com; Secure; HttpOnly',
    'own=2',
    'deep=3; Path=/a/mcp/x',
    'no=4; Path=/ab',
  );
  const sent: Readonly<Record<string, string | undefined>> = {
    'https://example.com/a/mcp': 'own=2; all=1',
    'https://example.com/a/mcp/x/y?z': 'deep=3; own=2; all=1',
    'https://example.com/ax': 'all=1',
    'https://example.com/': 'all=1',
    'http://example.com/a/mcp': undefined,
    'https://example.com:8443/a/mcp': undefined,
    'https://api.example.com/a/mcp': undefined,
  };
  for (const [url, expected] of Object.entries(sent)) assert.equal(jar.headerFor(url, now), expected, url);
});

test('a cookie is replaced by its name and path, and ends when the server says', () => {
  const date = 'Expires=Thu, 01 Jan 2026 00:01:00 GMT';
  const jar = jarOf(
    'a=1',
    'a=2',
    'b=1; Max-Age=60',
    `c=1; ${date}`,
    `d=1; Max-Age=60; ${date.replace('2026', '2020')}`,
    'e=1',
  );
  assert.equal(jar.headerFor(server, now), 'a=2; b=1; c=1; d=1; e=1');
  jar.take(['e=; Max-Age=0'], server, now);
  assert.equal(jar.headerFor(server, now + 59_000), 'a=2; b=1; c=1; d=1');
  assert.equal(jar.headerFor(server, now + 60_000), 'a=2');
});

test('twenty cookies of 4 KiB are kept, the last ones, and none that could be read as another header', () => {
  const jar = jarOf(...Array.from({ length: 25 }, (_, at) => `n${at}=v`));
  assert.deepEqual(jar.headerFor(server, now)?.split('; ').length, 20);
  assert.match(jar.headerFor(server, now) ?? '', /^n5=v;.*n24=v$/);
  const long = 'v'.repeat(4_094);
  assert.equal(jarOf(`a=${long}`).headerFor(server, now), `a=${long}`);
  const none = [`a=${long}v`, 'novalue', '=v', 'a b=v', 'a=v\r\nx: y', 'a=\u00e9', ''];
  assert.equal(jarOf(...none).headerFor(server, now), undefined);
});
