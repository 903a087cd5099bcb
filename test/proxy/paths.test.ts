import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attaches } from '../../src/core/resource.js';
import { restOfLocation, upstreamTarget } from '../../src/proxy/mount-path.js';

const server = 'https://h.example/mcp';

test('a path that any server might read as leading elsewhere is refused [A-157] [A-218] [A-219]', () => {
  const paths =
    '/../admin /./x /.. /. /a/../../x /%2e%2e/x /.%2e/x /%2E./x /..%2fadmin /a%2fb /a%5cb /%5c..%5cx /..;/x /..;a=b/x ' +
    '/%252e%252e/x /%25%32%65%25%32%65/x /%%32%65/x /a%252f..%252fx /%2525%32e /a%00b /%0d%0aX /a%7f /%c0%ae%c0%ae/x /..%20/x /.%20./x /..%09 /%e0%80%ae./x /x%c0%afy /..%3bx //evil/x //evil ///x /%zz /% /a%2 ' +
    '@evil.example .evil.example :80@evil evil -evil mcp2 %2f.. ;x :443';
  const odd = [
    '/a\\b',
    '/\\evil',
    '\\evil',
    '/a b',
    '/a\tb',
    '/a\0b',
    '/ä',
    '/a\nb',
    '/a#b',
    '/a"b',
    '/a<b',
    '/a^b',
    '/a|b',
  ];
  const atRoot = new Set(['//evil/x', '//evil', '///x']);
  for (const rest of [...paths.split(' '), ...odd]) {
    if (!atRoot.has(rest)) assert.equal(upstreamTarget(server, rest), undefined, rest);
    assert.equal(upstreamTarget('https://h.example', rest), undefined, `${rest} at the root`);
  }
  assert.equal(upstreamTarget(server, `/${'a'.repeat(9_000)}`), undefined);
});

/** Pieces of which paths are made that lead astray. */
const piece = fc.oneof(
  fc.constantFrom('/', '//', '.', '..', '%2e', '%2E', '%2f', '%5c', '\\', '%25', '2e', ';', '@', ':', '?', '#', '%00'),
  fc.constantFrom('evil.example', 'a', 'mcp', 'http:', ' ', '\t', '\r\n', 'é', '*', '%', '%c0%af', '\u2215'),
  fc.string({ maxLength: 3 }),
);
const path = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

test('whatever comes in, what goes out is at the server’s origin and at or below its path [A-218] [A-219] [A-157]', () => {
  let some = 0;
  for (const base of [server, 'https://h.example', 'https://h.example/a/b/', 'https://h.example/mcp?t=1']) {
    const plain = new URL(base);
    const below = plain.pathname.replace(/\/$/, '');
    fc.assert(
      fc.property(path, fc.boolean(), (text, slash) => {
        const target = upstreamTarget(base, slash ? `/${text}` : text);
        if (target === undefined) return;
        some += 1;
        assert.match(target, /^\/(?!\/)[\x21-\x7e]*$/);
        const seen = new URL(target, plain.origin);
        assert.equal(seen.origin, plain.origin);
        // Read as the most careless of servers does: decoded over and over, backslashes turned, parameters cut.
        let [careless = ''] = target.split('?', 1);
        for (let round = 0; round < 4; round += 1) careless = careless.replace(/%25/g, '%').replace(/%2e/gi, '.');
        careless = careless.replace(/%2f|%5c|\\/gi, '/').replace(/;[^/]*/g, '');
        const walked = new URL(careless.replace(/^\/+/, '/'), plain.origin).pathname;
        assert.ok(walked === (below || '/') || walked.startsWith(`${below}/`), `${target} read as ${walked}`);
        assert.ok(attaches(base, plain.origin + target));
      }),
    );
  }
  assert.ok(some > 10, `only ${some} were let through`);
});

test('a Location within the server’s address leads to the mount again, any other nowhere [A-222]', () => {
  const cases: readonly (readonly [location: string, rest: string | undefined])[] = [
    ['/mcp', ''],
    ['/mcp/', '/'],
    ['/mcp/next?page=2#top', '/next?page=2#top'],
    ['https://h.example/mcp/x', '/x'],
    ['https://H.example:443/mcp/x', '/x'],
    ['//h.example/mcp/x', '/x'],
    ['sibling', undefined],
    ['mcp/x', '/x'],
    ['?page=2', '?page=2'],
    ['/', undefined],
    ['/mcp2', undefined],
    ['/mcp/../admin', undefined],
    ['/mcp/%2e%2e/admin', undefined],
    ['/mcp/a%2fb', undefined],
    ['http://h.example/mcp/x', undefined],
    ['https://h.example:8443/mcp', undefined],
    ['https://evil.example/mcp', undefined],
    ['https://h.example.evil.example/mcp', undefined],
    ['https://user@h.example/mcp', undefined],
    ['//evil.example/mcp', undefined],
    ['/\\evil.example', undefined],
    ['javascript:alert(1)', undefined],
    ['/mcp/ä', undefined],
    ['/mcp\t', undefined],
  ];
  for (const [location, rest] of cases) assert.equal(restOfLocation(server, '/mcp', location), rest, location);
  fc.assert(
    fc.property(path, (location) => {
      const rest = restOfLocation(server, '/mcp/x', location);
      if (rest === undefined) return;
      const [plain = ''] = rest.split('#', 1);
      assert.notEqual(upstreamTarget(server, plain), undefined, `${location} became ${rest}`);
    }),
  );
});
