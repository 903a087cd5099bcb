import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { forwardedRequest, forwardedResponse, inertPage } from '../../src/proxy/forwarded-headers.js';

const flat = (lines: readonly string[]) => lines.flatMap((line) => line.split(': '));

test('who the caller is, and what is this connection’s own, does not reach the server [A-215] [A-216] [A-230]', () => {
  const { forward } = forwardedRequest(
    flat([
      ...['Host: 127.0.0.1:1', 'Authorization: Bearer other', 'Proxy-Authorization: Basic x', 'Cookie: a=b'],
      ...['Connection: X-Foo, keep-alive, Authorization, Accept', 'X-Foo: 1', 'Keep-Alive: 5', 'TE: trailers'],
      ...['Trailer: x', 'Upgrade: h2c', 'HTTP2-Settings: x', 'Proxy-Connection: close', 'Transfer-Encoding: chunked'],
      ...['Content-Length: 5', 'Expect: 100-continue', 'Forwarded: for=me', 'X-Forwarded-For: 10.0.0.1'],
      ...['X-Forwarded-Host: h', 'X-Real-IP: 1', 'Via: 1.1 me', 'Referer: http://127.0.0.1:1/KEY/m', 'Postern-Key: k'],
      ...['X-Original-URL: /admin', 'X-Rewrite-URL: /admin', 'Accept: a', 'Origin: null', 'Sec-Fetch-Site: none'],
      ...['Content-Type: application/json', 'X-Own: 1', 'x-own: 2', 'Mcp-Session-Id: s', 'Accept-Encoding: gzip'],
    ]),
  );
  assert.deepEqual(
    forward,
    flat(['Content-Type: application/json', 'X-Own: 1', 'x-own: 2', 'Mcp-Session-Id: s', 'Accept-Encoding: gzip']),
  );
});

test('a browser is told nothing by the server that would change how it treats 127.0.0.1 [A-212] [A-224] [A-223] [A-168]', () => {
  const head = forwardedResponse(
    flat([
      ...[
        'Set-Cookie: a=b',
        'Clear-Site-Data: "*"',
        'Strict-Transport-Security: max-age=1',
        'Refresh: 0;url=http://evil',
      ],
      ...['Service-Worker-Allowed: /', 'Alt-Svc: h2="evil:443"', 'Content-Security-Policy: default-src *'],
      ...['Access-Control-Allow-Origin: *', 'Access-Control-Allow-Credentials: true', 'WWW-Authenticate: Basic'],
      ...['Proxy-Authenticate: Basic', 'Authentication-Info: x', 'Connection: X-Hop', 'X-Hop: 1', 'Keep-Alive: 5'],
      ...[
        'Transfer-Encoding: chunked',
        'Trailer: x',
        'Upgrade: h2',
        'Location: /mcp',
        'Content-Location: http://h/mcp',
      ],
      ...['X-Content-Type-Options: none', 'Referrer-Policy: unsafe-url', 'Cross-Origin-Opener-Policy: unsafe-none'],
      ...['Content-Type: text/html', 'X-Own: 1', 'Mcp-Session-Id: s', 'Date: today', 'Content-Encoding: gzip'],
    ]),
  );
  assert.deepEqual(head.forward, [
    ...flat(['Content-Type: text/html', 'X-Own: 1', 'Mcp-Session-Id: s', 'Date: today', 'Content-Encoding: gzip']),
    ...inertPage,
  ]);
  assert.deepEqual([head.locations, head.challenges, head.sessions], [['/mcp'], ['Basic'], ['s']]);
});

const name = fc.oneof(
  fc.constantFrom('Connection', 'connection', 'Authorization', 'Cookie', 'X-A', 'x-a', 'TE', 'Proxy-X', 'Content-Type'),
  fc.stringMatching(/^[A-Za-z-]{1,12}$/),
);
const value = fc.oneof(
  fc.constantFrom('X-A', 'x-a, close', 'authorization', 'close', 'keep-alive, Content-Type'),
  fc.string(),
);
const lines = fc.array(fc.tuple(name, value), { maxLength: 20 });

test('whatever headers there are: nothing is made up, nothing named by Connection goes on, and order stays', () => {
  fc.assert(
    fc.property(lines, (given) => {
      const raw = given.flat();
      const named = given
        .filter(([each]) => each.toLowerCase() === 'connection')
        .flatMap(([, text]) =>
          text
            .toLowerCase()
            .split(',')
            .map((word) => word.trim()),
        );
      for (const forward of [
        forwardedRequest(raw).forward,
        forwardedResponse(raw).forward.slice(0, -inertPage.length),
      ]) {
        let from = 0;
        for (let at = 0; at < forward.length; at += 2) {
          const found = given.findIndex(
            ([each, text], index) => index >= from && each === forward[at] && text === forward[at + 1],
          );
          assert.ok(found >= from, 'in the order in which it came');
          from = found + 1;
          assert.ok(
            !named.includes((forward[at] ?? '').toLowerCase()) || /^(?:close|keep-alive)$/i.test(forward[at] ?? ''),
          );
          assert.doesNotMatch(forward[at] ?? '', /^(?:connection|authorization|te|proxy-.*)$/i);
        }
      }
    }),
  );
});

test('authorization is taken out of requests, and a second of what may stand there once is seen [A-221]', () => {
  assert.equal(forwardedRequest(flat(['Mcp-Session-Id: a', 'mcp-session-id: b'])).repeated, true);
  assert.equal(forwardedRequest(flat(['Content-Type: a', 'Content-Type: a'])).repeated, true);
  assert.equal(forwardedRequest(flat(['Accept: a', 'Accept: b'])).repeated, false);
});
