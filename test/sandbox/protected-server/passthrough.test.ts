import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { post, TestSession } from './session.js';

test("[R-5.2d] the upstream is called with a token of this server's own, never with the caller's", async () => {
  await using running = await runProtected();
  const sent = [await running.token(), await running.token({ sub: 'bob' })];
  for (const token of sent) {
    const session = await TestSession.open(running.url, token);
    assert.match(await session.textOf('upstream_time'), /^20\d\d-/);
  }
  const received = running.server.upstreamTokens;
  assert.equal(received.length, 2);
  for (const token of received) {
    assert.match(token, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(
      sent.some((one) => one.includes(token) || token.includes(one)),
      false,
    );
    // Nor does the upstream's token open this server.
    const probe = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    assert.equal((await post(running.url, token, probe)).status, 401);
  }
});
