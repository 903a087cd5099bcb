import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Running, runProtected } from './protected.js';
import { allOf, type Message, messagesOf, post } from './session.js';

const revision = '2026-07-28';
const name = (of: string) => `io.modelcontextprotocol/${of}`;

interface Asked {
  readonly params?: Record<string, unknown>;
  readonly capabilities?: object;
  readonly revision?: string;
  /** Instead of those that belong to the message. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly scope?: string;
}

/** One request of the newer era, without a session before it. */
async function send(running: Running, method: string, asked: Asked = {}): Promise<Response> {
  const { params = {}, capabilities = {}, revision: named = revision, headers = {}, scope = 'mcp:basic' } = asked;
  const _meta = {
    [name('protocolVersion')]: named,
    [name('clientCapabilities')]: capabilities,
    [name('clientInfo')]: { name: 'test', version: '1' },
  };
  const of = params['name'] ?? params['uri'];
  return await post(
    running.url,
    await running.token({ scope }),
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      'mcp-protocol-version': named,
      'mcp-method': method,
      ...(typeof of === 'string' ? { 'mcp-name': of } : {}),
      ...headers,
    },
  );
}

async function errorOf(response: Response): Promise<{ readonly code: number; readonly data?: unknown }> {
  const { error } = (await response.json()) as Message;
  assert.ok(error !== undefined);
  return error;
}

test('[Q-1.2][Q-1.3] a revision that is not known is refused with those that are, each request by itself', async () => {
  await using running = await runProtected();
  const refused = await send(running, 'tools/list', { revision: '2031-01-01' });
  assert.equal(refused.status, 400);
  const error = await errorOf(refused);
  const { supported, requested } = error.data as { supported: string[]; requested: string };
  assert.deepEqual([error.code, requested, supported.includes(revision)], [-32022, '2031-01-01', true]);
  assert.equal((await send(running, 'tools/list')).status, 200);
});

test('[Q-1.5][Q-5.5] server/discover says what is spoken; it, lists and resources say how long they hold', async () => {
  await using running = await runProtected();
  const scope = 'mcp:basic notes:read';
  const [{ result: discovered = {} } = {}] = await allOf(await send(running, 'server/discover'));
  assert.ok(Array.isArray(discovered['supportedVersions']) && discovered['supportedVersions'].includes(revision));
  assert.equal(typeof discovered['capabilities'], 'object');
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
  ] as const) {
    const [{ result = {} } = {}] = await allOf(await send(running, method, { params, scope }));
    assert.ok(Number(result['ttlMs']) >= 0, method);
    assert.match(String(result['cacheScope']), /^(?:public|private)$/, method);
    assert.equal(result['resultType'], 'complete', method);
  }
});

test('[Q-2.14] headers that disagree with the body, or are missing, are refused; values count to the letter', async () => {
  await using running = await runProtected();
  const params = { name: 'whoami', arguments: {} };
  for (const headers of [
    { 'mcp-method': 'tools/list' },
    { 'mcp-method': 'Tools/Call' },
    { 'mcp-name': 'Whoami' },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-name': '' },
  ]) {
    const refused = await send(running, 'tools/call', { params, headers });
    assert.equal(refused.status, 400, JSON.stringify(headers));
    assert.equal((await errorOf(refused)).code, -32020, JSON.stringify(headers));
  }
  const encoded = { 'mcp-name': `=?base64?${Buffer.from('whoami').toString('base64')}?=` };
  assert.equal((await send(running, 'tools/call', { params, headers: encoded })).status, 200);
});

test('[Q-2.15] a method that is not known is 404 with -32601, and none of the older era is', async () => {
  await using running = await runProtected();
  for (const method of ['no/such', 'ping', 'logging/setLevel']) {
    const refused = await send(running, method);
    assert.deepEqual([refused.status, (await errorOf(refused)).code], [404, -32601], method);
  }
});

test('[Q-3.9][Q-3.10] what is asked comes as a result, and no stream carries a request of the server', async () => {
  await using running = await runProtected();
  const capabilities = { elicitation: { form: {} } };
  const params = { name: 'confirm', arguments: { what: 'Sure?' } };
  const [asked, ...more] = await allOf(await send(running, 'tools/call', { params, capabilities }));
  assert.equal(asked?.result?.['resultType'], 'input_required');
  assert.equal(asked?.method, undefined);
  assert.deepEqual(more, []);
  const _meta = { progressToken: 'p' };
  const counted = await send(running, 'tools/call', {
    params: { name: 'countdown', arguments: { steps: 2, delayMs: 1 }, _meta },
  });
  assert.equal(counted.status, 200);
  for await (const { message } of messagesOf(counted)) {
    assert.ok(message?.method === undefined || message.id === undefined, JSON.stringify(message));
  }
  const listened = await send(running, 'subscriptions/listen', {
    params: { notifications: { toolsListChanged: true } },
  });
  assert.match(listened.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(listened.headers.get('x-accel-buffering'), 'no');
  await listened.body?.cancel();
});

test('[Q-6.16] a token with more scope than is needed is enough for every operation below it', async () => {
  await using running = await runProtected();
  const scope = 'mcp:basic notes:read notes:write';
  for (const tool of ['whoami', 'note_list', 'note_clear']) {
    const answered = await send(running, 'tools/call', { params: { name: tool, arguments: {} }, scope });
    assert.equal(answered.status, 200, tool);
  }
});

test('[Q-6.21] neither the metadata nor a challenge asks for offline_access', async () => {
  await using running = await runProtected();
  const document = await fetch(`${running.origin}/.well-known/oauth-protected-resource/mcp`);
  const { scopes_supported: scopes } = (await document.json()) as { scopes_supported: string[] };
  assert.ok(scopes.length > 0 && !scopes.includes('offline_access'));
  const anonymous = await post(running.url, undefined, {});
  const scope = 'mcp:basic offline_access';
  const narrow = await send(running, 'tools/call', { params: { name: 'note_clear', arguments: {} }, scope });
  assert.deepEqual([anonymous.status, narrow.status], [401, 403]);
  for (const { headers } of [anonymous, narrow]) {
    const challenge = headers.get('www-authenticate') ?? '';
    assert.match(challenge, /scope="/);
    assert.doesNotMatch(challenge, /offline_access/);
  }
});
