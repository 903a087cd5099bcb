import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { allOf, initialize, messagesOf, post, TestSession } from './session.js';

test('[A-296] a session is of no use to another person or another client, and stays what it was', async () => {
  await using running = await runProtected();
  const alices = await TestSession.open(running.url, await running.token());
  for (const claims of [{ sub: 'bob' }, { client_id: 'client-2' }, { sub: 'client-1', client_id: 'alice' }]) {
    const token = await running.token(claims);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const posted = await post(running.url, token, call, alices.headers);
    const headers = { ...alices.headers, accept: 'text/event-stream', authorization: `Bearer ${token}` };
    // A stream that is let in would hold the test up.
    const got = await fetch(running.url, { headers, signal: AbortSignal.timeout(3_000) });
    const deleted = await fetch(running.url, { method: 'DELETE', headers });
    const unknown = await post(running.url, token, call, { ...alices.headers, 'mcp-session-id': 'none' });
    assert.deepEqual([posted.status, got.status, deleted.status, unknown.status], [404, 404, 404, 404]);
    assert.equal(await posted.text(), await unknown.text(), 'nothing tells that the session exists');
  }
  assert.match(await alices.textOf('whoami'), /^alice through client-1/);
  alices.token = await running.token({ scope: 'mcp:basic notes:read' });
  assert.match(await alices.textOf('whoami'), /allowed mcp:basic notes:read until/, 'a newer token is taken');
  const headers = { ...alices.headers, authorization: `Bearer ${alices.token}` };
  assert.equal((await fetch(running.url, { method: 'DELETE', headers })).status, 200);
  assert.equal((await alices.call('whoami')).status, 404, 'DELETE has ended it');
  assert.equal(running.server.sessionCount, 0);
});

test('[A-297] nothing is allocated before a token is accepted, and there are never more than a hundred sessions: the least used go first', async () => {
  await using running = await runProtected();
  const [token, expired] = [await running.token(), await running.token({ exp: 1 })];
  const floods = Array.from({ length: 200 }, (_, at) => post(running.url, at % 2 ? expired : undefined, initialize));
  assert.deepEqual([...new Set((await Promise.all(floods)).map(({ status }) => status))], [401]);
  await post(running.url, token, initialize, { accept: 'text/html' });
  assert.equal(running.server.sessionCount, 0, 'nor for what begins no session');
  const first = await TestSession.open(running.url, token);
  const second = await TestSession.open(running.url, token);
  for (let opened = 2; opened < 100; opened += 1) await post(running.url, token, initialize);
  await first.textOf('whoami');
  await post(running.url, token, initialize);
  assert.equal(running.server.sessionCount, 100);
  assert.equal((await second.call('whoami')).status, 404);
  await first.textOf('whoami');
});

test('a lone request, as curl sends it, is answered without a session, and as JSON', async () => {
  await using running = await runProtected();
  const headers = { authorization: `Bearer ${await running.token()}`, 'content-type': 'application/json' };
  const ask = (body: object) => fetch(running.url, { method: 'POST', headers, body: JSON.stringify(body) });
  const called = await ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } });
  assert.match(called.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(called.headers.get('mcp-session-id'), null);
  assert.match(await called.text(), /alice through client-1/);
  const scope = await ask({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'note_list' } });
  assert.equal(scope.status, 403, 'and needs the same scope');
  assert.equal(running.server.sessionCount, 0);
});

test('[A-296] a stream that the server closed is taken up again after the last event, from its own session alone', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  const other = await TestSession.open(running.url, session.token);
  const seen: unknown[] = [];
  let last = '';
  const note = async (response: Response): Promise<void> => {
    for await (const { message, id } of messagesOf(response)) {
      last = id ?? last;
      if (message?.method !== 'notifications/message' && message !== undefined)
        seen.push(message.params?.['progress'] ?? 'result');
    }
  };
  await note(await session.call('countdown', { steps: 4, delayMs: 10, breakAt: 3 }, { progressToken: 'p' }));
  assert.deepEqual(seen, [1, 2]);
  const taken = await other.listen({ 'last-event-id': last });
  assert.doesNotMatch(taken.status === 200 ? JSON.stringify(await allOf(taken)) : '', /Done after/);
  await note(await session.listen({ 'last-event-id': last }));
  assert.deepEqual(seen, [1, 2, 3, 4, 'result']);
});
