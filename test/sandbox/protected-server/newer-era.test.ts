import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Running, runProtected } from './protected.js';
import { allOf, type Message, messagesOf, post } from './session.js';

let running: Running;

before(async () => {
  running = await runProtected();
});

after(() => running[Symbol.asyncDispose]());

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
async function send(method: string, asked: Asked = {}): Promise<Response> {
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
  const refused = await send('tools/list', { revision: '2031-01-01' });
  assert.equal(refused.status, 400);
  const error = await errorOf(refused);
  const { supported, requested } = error.data as { supported: string[]; requested: string };
  assert.deepEqual([error.code, requested, supported.includes(revision)], [-32022, '2031-01-01', true]);
  assert.equal((await send('tools/list')).status, 200);
});

test('[Q-1.5][Q-5.5] server/discover says what is spoken; it, lists and resources say how long they hold', async () => {
  const scope = 'mcp:basic notes:read';
  const [{ result: discovered = {} } = {}] = await allOf(await send('server/discover'));
  assert.ok(Array.isArray(discovered['supportedVersions']) && discovered['supportedVersions'].includes(revision));
  assert.equal(typeof discovered['capabilities'], 'object');
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['resources/list', {}],
  ] as const) {
    const [{ result = {} } = {}] = await allOf(await send(method, { params, scope }));
    assert.ok(Number(result['ttlMs']) >= 0, method);
    assert.match(String(result['cacheScope']), /^(?:public|private)$/, method);
    assert.equal(result['resultType'], 'complete', method);
  }
});

test('[Q-2.14] headers that disagree with the body, or are missing, are refused; values count to the letter', async () => {
  const params = { name: 'whoami', arguments: {} };
  for (const headers of [
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'Whoami' },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-name': '' },
  ]) {
    const refused = await send('tools/call', { params, headers });
    assert.equal(refused.status, 400, JSON.stringify(headers));
    assert.equal((await errorOf(refused)).code, -32020, JSON.stringify(headers));
  }
  const encoded = { 'mcp-name': `=?base64?${Buffer.from('whoami').toString('base64')}?=` };
  assert.equal((await send('tools/call', { params, headers: encoded })).status, 200);
});

test('[Q-3.9][Q-3.10] what is asked comes as a result, and no stream carries a request of the server', async () => {
  const capabilities = { elicitation: { form: {} } };
  const params = { name: 'confirm', arguments: { what: 'Sure?' } };
  const [asked, ...more] = await allOf(await send('tools/call', { params, capabilities }));
  assert.equal(asked?.result?.['resultType'], 'input_required');
  assert.equal(asked?.method, undefined);
  assert.deepEqual(more, []);
  const _meta = { progressToken: 'p' };
  const counted = await send('tools/call', {
    params: { name: 'countdown', arguments: { steps: 2, delayMs: 1 }, _meta },
  });
  assert.equal(counted.status, 200);
  for await (const { message } of messagesOf(counted)) {
    assert.ok(message?.method === undefined || message.id === undefined, JSON.stringify(message));
  }
  const listened = await send('subscriptions/listen', { params: { notifications: { toolsListChanged: true } } });
  assert.match(listened.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(listened.headers.get('x-accel-buffering'), 'no');
  await listened.body?.cancel();
});

test('[Q-6.16] a token with more scope than is needed is enough for every operation below it', async () => {
  const scope = 'mcp:basic notes:read notes:write';
  for (const tool of ['whoami', 'note_list', 'note_clear']) {
    const answered = await send('tools/call', { params: { name: tool, arguments: {} }, scope });
    assert.equal(answered.status, 200, tool);
  }
});
