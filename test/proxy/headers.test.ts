import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { forwardedRequest, forwardedResponse, inertPage } from '../../src/proxy/forwarded-headers.js';

const flat = (lines: readonly string[]) => lines.flatMap((line) => line.split(': '));

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
