import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionCookies, Sessions } from '../../src/proxy/admit.js';
import { forwardedRequest, forwardedResponse } from '../../src/proxy/forwarded-headers.js';
import { mountOf } from './stand.js';

test('long identifiers are told apart to their last character, the oldest are forgotten first [A-228]', () => {
  const sessions = new Sessions();
  for (const id of ['short', 'l'.repeat(64), 'l'.repeat(65), 'l'.repeat(16_000)]) {
    sessions.learn([id], 'a');
    assert.deepEqual([sessions.isOfOther([id], 'a'), sessions.isOfOther([id], 'b')], [false, true]);
    assert.equal(sessions.isOfOther([`${id.slice(0, -1)}x`], 'b'), false);
    sessions.learn([id], 'b');
    assert.ok(sessions.isOfOther([id], 'b'), 'who had it first keeps it');
  }
  for (let count = 0; count < 10_000; count += 1) sessions.learn([String(count)], 'a');
  assert.equal(sessions.isOfOther(['short'], 'b'), false);
});

test('the cookies of the sessions used last are kept, so that nobody fills the memory with them [A-225]', () => {
  const cookies = new SessionCookies();
  const url = new URL('https://example.com/mcp');
  const owner = (session: string) => {
    const mounted = { mount: mountOf(url.href), url, origin: url.origin, targets: new Map() };
    return { mounted, target: '/mcp', head: forwardedRequest(['mcp-session-id', session]) };
  };
  const set = (session: string) => cookies.take(forwardedResponse(['set-cookie', 'a=1']), owner(session));
  for (let count = 0; count < 256; count += 1) set(String(count));
  assert.deepEqual(cookies.addTo([], owner('0')), ['cookie', 'a=1']);
  set('another');
  assert.deepEqual(cookies.addTo([], owner('0')), ['cookie', 'a=1'], 'it was used last');
  assert.deepEqual(cookies.addTo([], owner('1')), []);
});
