import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { admit } from '../../../src/sandbox/protected-server/admit.js';
import { authInfoOf } from '../../../src/sandbox/protected-server/caller-of.js';
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

test('[R-5.2d] what is handed on behind the gate has no credential in it', async () => {
  const caller = { subject: 'alice', clientId: 'c', scopes: ['mcp:basic'], expiresAt: 1 };
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const admitted = await admit(request, response, 'http://127.0.0.1:1/mcp', caller);
    assert.ok('caller' in admitted);
    seen.push(JSON.stringify([...admitted.request.headers]), JSON.stringify(admitted.body));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await post(url, 'canary-token', { a: 1 }, { cookie: 'canary', 'proxy-authorization': 'canary', 'x-kept': '1' });
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  assert.equal(seen.length, 2);
  assert.equal(seen.join().includes('canary'), false);
  assert.match(seen[0] ?? '', /x-kept/);
  assert.equal(authInfoOf(caller, undefined).token, '');
});
