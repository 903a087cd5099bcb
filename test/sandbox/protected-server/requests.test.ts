import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { sendRaw } from './raw.js';
import { initialize, post } from './session.js';

test('[A-289] another Host, or two, is answered 421, the metadata too', async () => {
  await using running = await runProtected();
  const { host, port } = new URL(running.url);
  const token = await running.token();
  const hosts = [
    [`evil.example:${port}`],
    [`localhost:${port}`],
    ['127.0.0.1'],
    ['127.0.0.1:1'],
    [host, 'evil.example'],
  ];
  for (const path of ['/mcp', '/.well-known/oauth-protected-resource/mcp']) {
    for (const names of hosts) {
      const lines = names.map((name) => ['host', name] as const);
      const { status, text } = await sendRaw(`${running.origin}${path}`, [
        ...lines,
        ['authorization', `Bearer ${token}`],
      ]);
      assert.equal(status, 421, String(names));
      assert.equal(text.includes('authorization_servers'), false);
    }
  }
});

test('[Q-2.16] [A-289] a page of another origin is refused, and no answer has a CORS header', async () => {
  await using running = await runProtected();
  const token = await running.token();
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', 'http://localhost']) {
    const response = await post(running.url, token, initialize, { origin });
    assert.equal(response.status, 403, origin);
  }
  assert.equal(running.server.sessionCount, 0);
  const own = await post(running.url, token, initialize, { origin: running.origin });
  const preflight = await fetch(running.url, {
    method: 'OPTIONS',
    headers: { origin: running.origin, 'access-control-request-method': 'POST' },
  });
  const metadata = await fetch(`${running.origin}/.well-known/oauth-protected-resource/mcp`);
  assert.deepEqual([own.status, preflight.status, metadata.status], [200, 401, 200]);
  for (const { headers } of [own, preflight, metadata]) {
    assert.deepEqual(
      [...headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
    );
  }
});

test('bodies that are too long, no JSON or of another type are refused, and the server goes on', async () => {
  await using running = await runProtected();
  const token = await running.token();
  const long = JSON.stringify({ ...initialize, padding: 'a'.repeat(1024 * 1024) });
  assert.equal((await post(running.url, token, long)).status, 413);
  assert.equal((await post(running.url, token, '{')).status, 400);
  assert.equal((await post(running.url, token, '{}')).status, 400);
  assert.equal((await post(running.url, token, initialize, { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await post(running.url, token, '{', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await post(running.url, token, initialize, { accept: 'application/json' })).status, 406);
  const put = await fetch(running.url, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST, DELETE']);
  assert.equal((await fetch(`${running.origin}/mcp/`)).status, 404);
  assert.equal((await post(running.url, token, initialize)).status, 200);
});
