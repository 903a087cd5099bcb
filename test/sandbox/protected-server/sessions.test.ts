import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { initialize, post, TestSession } from './session.js';

test('[A-296] a session is of no use to another person or another client, and stays what it was', async () => {
  await using running = await runProtected();
  const alices = await TestSession.open(running.url, await running.token());
  const others = [{ sub: 'bob' }, { client_id: 'client-2' }, { sub: 'client-1', client_id: 'alice' }];
  for (const claims of others) {
    const token = await running.token(claims);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const posted = await post(running.url, token, call, alices.headers);
    const got = await fetch(running.url, {
      headers: { ...alices.headers, accept: 'text/event-stream', authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(3_000), // a stream that is let in would hold the test up
    });
    const deleted = await fetch(running.url, {
      method: 'DELETE',
      headers: { ...alices.headers, authorization: `Bearer ${token}` },
    });
    const unknown = await post(running.url, token, call, { ...alices.headers, 'mcp-session-id': 'none' });
    assert.deepEqual([posted.status, got.status, deleted.status, unknown.status], [404, 404, 404, 404]);
    assert.equal(await posted.text(), await unknown.text(), 'nothing tells that the session exists');
  }
  assert.equal(running.server.sessionCount, 1);
  assert.match(await alices.textOf('whoami'), /^alice through client-1/);
});

test('[A-296] a session takes a newer token of the same person and client, and none that is not valid', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  session.token = await running.token({ scope: 'mcp:basic notes:read' });
  assert.match(await session.textOf('whoami'), /allowed mcp:basic notes:read until/);
  session.token = await running.token({ exp: 1 });
  assert.equal((await session.call('whoami')).status, 401);
});

test('[A-297] [R-5.2a] nothing is allocated before a token is accepted', async () => {
  await using running = await runProtected();
  const expired = await running.token({ exp: 1 });
  const floods = Array.from({ length: 200 }, (_, at) => post(running.url, at % 2 ? expired : undefined, initialize));
  const statuses = new Set((await Promise.all(floods)).map(({ status }) => status));
  assert.deepEqual([...statuses], [401]);
  assert.equal(running.server.sessionCount, 0);
  await post(running.url, await running.token(), { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  await post(running.url, await running.token(), initialize, { accept: 'text/html' });
  assert.equal(running.server.sessionCount, 0, 'nor for what begins no session');
});

test('[A-297] there are never more than a hundred sessions: the least used go first', async () => {
  await using running = await runProtected();
  const token = await running.token();
  const first = await TestSession.open(running.url, token);
  const second = await TestSession.open(running.url, token);
  for (let opened = 2; opened < 100; opened += 1) await post(running.url, token, initialize);
  await first.textOf('whoami');
  await post(running.url, token, initialize);
  assert.equal(running.server.sessionCount, 100);
  assert.equal((await second.call('whoami')).status, 404);
  await first.textOf('whoami');
});

test('DELETE ends a session', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  const headers = { ...session.headers, authorization: `Bearer ${session.token}` };
  assert.equal((await fetch(running.url, { method: 'DELETE', headers })).status, 200);
  assert.equal(running.server.sessionCount, 0);
  assert.equal((await session.call('whoami')).status, 404);
});

test('a lone request, as curl sends it, is answered without a session, and as JSON', async () => {
  await using running = await runProtected();
  const headers = { authorization: `Bearer ${await running.token()}`, 'content-type': 'application/json' };
  const ask = (body: object) => fetch(running.url, { method: 'POST', headers, body: JSON.stringify(body) });
  const listed = await ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.equal(listed.status, 200);
  assert.match(listed.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(listed.headers.get('mcp-session-id'), null);
  const { result } = (await listed.json()) as { result: { tools: { name: string }[] } };
  assert.ok(result.tools.some(({ name }) => name === 'whoami'));
  const called = await ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } });
  assert.match(await called.text(), /alice through client-1/);
  const scope = await ask({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'note_list' } });
  assert.equal(scope.status, 403, 'and needs the same scope');
  assert.equal((await ask({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 400);
  assert.equal(running.server.sessionCount, 0);
});
