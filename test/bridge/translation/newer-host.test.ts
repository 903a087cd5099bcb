import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, requestOf, startBridge } from '../host.js';
import { methodsOf, protocolVersion, sendJson } from './newer-only.js';
import { asking, call, meta, olderOnly, stateOf, until } from './older-only.js';

test('[Q-1.5][Q-1.8][Q-1.11][Q-3.1][Q-5.5] server/discover is answered from initialize, and requests and results change their form', async () => {
  await using server = await olderOnly(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[],"exact":1.0}}`);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const about = await host.ask({ id: 'd', method: 'server/discover', params: { _meta: meta({ elicitation: {} }) } });
  assert.deepEqual(about, {
    jsonrpc: '2.0',
    id: 'd',
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      ttlMs: 0,
      cacheScope: 'private',
      instructions: 'Sit.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'old', version: '1' } },
    },
  });
  host.send({ id: 4, method: 'tools/list', params: { cursor: '', _meta: meta({}, { traceparent: '00-x' }) } });
  const line = await host.line();
  assert.match(line, /"exact":1\.0/);
  const { result } = JSON.parse(line);
  assert.deepEqual(result, { tools: [], exact: 1, resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  const [probe, initialize] = server.seen;
  assert.deepEqual([probe?.message.method, initialize?.message.method], ['server/discover', 'initialize']);
  assert.deepEqual(initialize?.message.params, {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'new host', version: '7' },
  });
  const listed = await requestOf(server, ({ message }) => message.method === 'tools/list');
  assert.deepEqual(listed.message.params, { cursor: '', _meta: { traceparent: '00-x' } });
  assert.deepEqual(
    [listed.headers['mcp-protocol-version'], listed.headers['mcp-session-id'], listed.headers['mcp-method']],
    ['2025-06-18', 'session-1', undefined],
  );
  for (const method of ['ping', 'logging/setLevel', 'resources/subscribe', 'tasks/get']) {
    assert.equal((await host.ask({ id: method, method, params: { _meta: meta() } })).error?.code, -32601, method);
  }
  const _meta = { ...meta(), [protocolVersion]: '2027-01-01' };
  const { error } = await host.ask({ id: 9, method: 'tools/list', params: { _meta } });
  assert.equal(error?.code, -32022);
  assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2027-01-01' });
  host.program.stdin.end();
  await host.program.finished;
  assert.ok(
    server.seen.some(({ method }) => method === 'DELETE'),
    'the session is ended',
  );
});

test('[Q-1.9] what a server speaks is kept: the next bridge does not ask it', async () => {
  await using server = await olderOnly(({ id }, response) => sendJson(response, { id, result: { tools: [] } }));
  await using home = await bareHome();
  for (const _ of [1, 2]) {
    await using host = startBridge(home, server.url);
    await host.ask({ id: 4, method: 'tools/list', params: { _meta: meta() } });
  }
  assert.equal(methodsOf(server).filter((one) => one === 'server/discover').length, 1);
});

test('[Q-4.1][Q-4.3] what the server asks becomes a result, and the repeated request goes on with the one that waits', async () => {
  await using server = await asking();
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  host.send(call(1, { arguments: { a: 1, b: 2 } }, { elicitation: {} }, { progressToken: 'p1' }));
  assert.deepEqual((await host.next()).params, { progressToken: 'p1', progress: 1 });
  const asked = await host.next();
  assert.equal(asked.id, 1);
  assert.equal(asked.result?.['resultType'], 'input_required');
  assert.deepEqual(asked.result?.['inputRequests'], {
    1: { method: 'elicitation/create', params: { message: 'who 1?' } },
  });
  const again = await host.ask(call(2, { arguments: { b: 2, a: 1 }, requestState: stateOf(asked) }));
  assert.deepEqual(again.result?.['inputRequests'], asked.result?.['inputRequests'], 'what is missing is asked again');
  const inputResponses = { 1: { action: 'accept', content: { name: 'Ada' } } };
  const done = await host.ask(call(3, { arguments: { b: 2, a: 1 }, requestState: stateOf(again), inputResponses }));
  assert.deepEqual(done.result, { content: [], got: inputResponses[1], resultType: 'complete' });
  assert.equal(methodsOf(server).filter((one) => one === 'tools/call').length, 1);
});

test('a state that is forged, used, another request’s, or of one that was ended is refused, and nothing reaches the server', async () => {
  await using server = await asking();
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const asked = await host.ask(call(1, { arguments: { a: 1 } }));
  const requestState = stateOf(asked);
  const inputResponses = { 1: { action: 'accept' } };
  const before = server.seen.length;
  for (const params of [
    { arguments: { a: 1 }, requestState: `${requestState.slice(0, -1)}_`, inputResponses },
    { arguments: { a: 2 }, requestState, inputResponses },
    { name: 'other', arguments: { a: 1 }, requestState, inputResponses },
    { arguments: { a: 1 }, inputResponses },
    { arguments: { a: 1 }, requestState: 7 },
    { arguments: { a: 1 }, requestState: '__proto__' },
  ]) {
    const { error } = await host.ask(call(2, params));
    assert.equal(error?.code, -32602, JSON.stringify(params));
  }
  assert.equal(server.seen.length, before);
  const done = await host.ask(call(1, { arguments: { a: 1 }, requestState, inputResponses }));
  assert.ok(done.result !== undefined, 'and the id that was used is free again');
  const used = await host.ask(call(3, { arguments: { a: 1 }, requestState, inputResponses }));
  assert.equal(used.error?.code, -32602);
});

test('[Q-2.3] what a request has not offered is not asked for it, and nothing outside of one', async () => {
  await using server = await asking('sampling/createMessage');
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  host.send(call(1));
  const refused = await requestOf(server, ({ message }) => message.error !== undefined);
  assert.deepEqual([refused.message.id, refused.message.error?.code], ['q1', -32601]);
  await until(() => server.shared.stream !== undefined);
  server.shared.stream?.write(event({ jsonrpc: '2.0', id: 'p', method: 'ping' }));
  const ponged = await requestOf(server, ({ message }) => message.id === 'p');
  assert.deepEqual(ponged.message.result, {});
});

test('[Q-3.5] cancelling tells the server, for a request under way and for one that waits; at most 64 wait', async () => {
  await using server = await asking();
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const cancelled = () => server.seen.filter(({ message }) => message.method === 'notifications/cancelled');
  for (let id = 1; id <= 65; id += 1) await host.ask(call(id));
  await until(() => cancelled().length === 1);
  assert.equal(cancelled()[0]?.message.params?.['requestId'], 1, 'the oldest one');
  assert.ok(!cancelled().some(({ headers }) => headers['mcp-session-id'] === undefined));
});

test('[Q-3.5] a host’s cancelling reaches the server under the id that it knows', async () => {
  await using server = await olderOnly(() => undefined);
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  host.send(call('mine'));
  const sent = await requestOf(server, ({ message }) => message.method === 'tools/call');
  host.send({ method: 'notifications/cancelled', params: { requestId: 'mine' } });
  const cancelled = await requestOf(server, ({ message }) => message.method === 'notifications/cancelled');
  assert.equal(cancelled.message.params?.['requestId'], sent.message.id);
});
