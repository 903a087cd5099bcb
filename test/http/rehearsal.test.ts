import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rehearse } from '../../src/http/undici-connection.js';
import { send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

test('a made-up answer is read to its end without a network, as often as one likes', async () => {
  // Where undici changes so that this hangs, it fails after a second; the HTTP client itself would go on without it.
  await rehearse();
  await rehearse();
});

test('a rehearsal that fails keeps no request from being sent', async (t) => {
  await using server = await startHttp((_, response) => response.end('here'));
  await using http = testHttp();
  const real = globalThis.setTimeout;
  // A clock on which the second that a rehearsal has is over before it begins.
  const hurried = (work: () => void, ms: number) => {
    if (ms === 1_000) work();
    return real(work, ms);
  };
  t.mock.method(globalThis, 'setTimeout', hurried as typeof setTimeout);
  await assert.rejects(rehearse(), /the rehearsal hangs/);
  assert.equal(await textOf(await send(http, server.origin, { limits: { of: 'token' } })), 'here');
});
