import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { type BridgeHost, bareHome, event, requestOf, scriptedServer, startBridge } from '../host.js';
import { methodsOf, sendJson } from './newer-only.js';
import { call, capabilities, meta, olderOnly, stateOf, until } from './older-only.js';

test('[Q-5.1][Q-5.2][Q-5.4] subscriptions/listen is served from the session: agreed to as far as the server tells, by its id', async () => {
  await using server = await olderOnly(() => undefined);
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const listen = (id: string, notifications: object) =>
    host.ask({ id, method: 'subscriptions/listen', params: { notifications, _meta: meta() } });
  const wanted = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a:1', 'a:1'] };
  const agreed = await listen('one', wanted);
  assert.equal(agreed.method, 'notifications/subscriptions/acknowledged');
  const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
  assert.deepEqual(agreed.params, {
    notifications: { toolsListChanged: true, resourceSubscriptions: ['a:1'] },
    _meta: { [subscriptionId]: 'one' },
  });
  await listen('two', { resourceSubscriptions: ['a:1'] });
  await until(() => server.shared.stream !== undefined);
  const tell = (method: string, params: object) =>
    server.shared.stream?.write(event({ jsonrpc: '2.0', method, params }));
  tell('notifications/prompts/list_changed', {});
  tell('notifications/resources/updated', { uri: 'a:2' });
  tell('notifications/tools/list_changed', { _meta: { x: 1 } });
  assert.deepEqual((await host.next()).params, { _meta: { x: 1, [subscriptionId]: 'one' } });
  tell('notifications/resources/updated', { uri: 'a:1' });
  const ids = [await host.next(), await host.next()].map(({ params }) => params?.['_meta']);
  assert.deepEqual(ids, [{ [subscriptionId]: 'one' }, { [subscriptionId]: 'two' }]);
  for (const requestId of ['one', 'two']) host.send({ method: 'notifications/cancelled', params: { requestId } });
  await requestOf(server, ({ message }) => message.method === 'resources/unsubscribe');
  assert.equal(methodsOf(server).filter((one) => one === 'resources/subscribe').length, 1);
});

test('[Q-5.8] a log level reaches the server once, and only requests that name one hear what is logged', async () => {
  await using server = await olderOnly(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const level of ['debug', 'error']) {
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { level } }));
    }
    response.end(event({ jsonrpc: '2.0', id, result: { content: [] } }));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  assert.equal((await host.ask(call(1))).id, 1);
  const logLevel = { 'io.modelcontextprotocol/logLevel': 'warning' };
  for (const id of [2, 3]) {
    assert.deepEqual((await host.ask(call(id, {}, {}, logLevel))).params, { level: 'error' });
    assert.equal((await host.next()).id, id);
  }
  const levels = server.seen.filter(({ message }) => message.method === 'logging/setLevel');
  assert.deepEqual(
    levels.map(({ message }) => message.params),
    [{ level: 'warning' }],
  );
});

test('[Q-1.11] a host may speak both eras side by side: the older passes, the newer is translated', async () => {
  await using server = await olderOnly(({ id, method }, response) => sendJson(response, { id, result: { method } }));
  await using home = await bareHome();
  await using host: BridgeHost = startBridge(home, server.url);
  assert.equal((await host.open()).result?.['instructions'], 'Sit.');
  assert.deepEqual((await host.ask({ id: 1, method: 'prompts/list' })).result, { method: 'prompts/list' });
  const newer = await host.ask({ id: 2, method: 'prompts/list', params: { _meta: meta() } });
  assert.equal(newer.result?.['resultType'], 'complete');
  assert.deepEqual((await host.ask({ id: 3, method: 'ping' })).result, { method: 'ping' });
});

test('[Q-1.9] a session that the server has lost is opened anew, and what was followed is followed again', async () => {
  let lost = false;
  await using server = await scriptedServer((seen, response) => {
    const { id, method } = seen.message;
    const isOld = seen.headers['mcp-session-id'] === 's1';
    if (seen.method !== 'POST') response.writeHead(405).end();
    else if (method === 'server/discover') sendJson(response, { id, error: { code: -32601, message: 'no' } });
    else if (method === 'initialize') {
      response.setHeader('mcp-session-id', lost ? 's2' : 's1');
      sendJson(response, { id, result: { protocolVersion: '2025-11-25', capabilities } });
    } else if (lost && isOld) response.writeHead(404).end();
    else if (id === undefined) response.writeHead(202).end();
    else sendJson(response, { id, result: { method } });
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const params = { notifications: { resourceSubscriptions: ['a:1'] }, _meta: meta() };
  await host.ask({ id: 'l', method: 'subscriptions/listen', params });
  lost = true;
  assert.ok((await host.ask(call(1))).result !== undefined);
  await requestOf(server, ({ message, headers }) => {
    return message.method === 'resources/subscribe' && headers['mcp-session-id'] === 's2';
  });
});

test('a large result reaches the host that comes back, and one that asks without end is refused', async () => {
  let open: { response: ServerResponse; id: unknown } | undefined;
  const text = 'x'.repeat(5_000_000);
  await using server = await olderOnly(({ id, method, result }, response) => {
    if (method === 'tools/call') {
      open = { response, id };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < 300; at += 1) {
        response.write(event({ jsonrpc: '2.0', id: `q${at}`, method: 'elicitation/create', params: { message: 'm' } }));
      }
    } else if (result !== undefined && open !== undefined) {
      open.response.end(event({ jsonrpc: '2.0', id: open.id, result: { content: [{ type: 'text', text }] } }));
      open = undefined;
    }
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const asked = await host.ask(call(1));
  const keys = Object.keys(asked.result?.['inputRequests'] as object);
  assert.ok(keys.length <= 100, String(keys.length));
  await requestOf(server, ({ message }) => message.error?.code === -32601);
  const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'cancel' }]));
  const done = await host.ask(call(2, { requestState: stateOf(asked), inputResponses }));
  assert.deepEqual(done.result?.['content'], [{ type: 'text', text }]);
});

test('[Q-4.9] pages that an older server wants opened first are asked for, and the request is sent anew after a yes', async () => {
  let isOpened = false;
  const url = 'https://pay.example/1';
  await using server = await olderOnly(({ id }, response) => {
    if (isOpened) return sendJson(response, { id, result: { content: [] } });
    const elicitations = [{ mode: 'url', elicitationId: 'e', url, message: 'pay' }];
    sendJson(response, { id, error: { code: -32042, message: 'pay first', data: { elicitations } } });
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const offered = { elicitation: { url: {} } };
  assert.equal((await host.ask(call(1))).error?.code, -32042, 'not where the host takes no pages');
  const asked = await host.ask(call(2, {}, offered));
  assert.deepEqual(asked.result?.['inputRequests'], {
    1: { method: 'elicitation/create', params: { mode: 'url', url, message: 'pay' } },
  });
  const no = { requestState: stateOf(asked), inputResponses: { 1: { action: 'decline' } } };
  assert.equal((await host.ask(call(3, no, offered))).error?.code, -32042);
  const again = await host.ask(call(4, {}, offered));
  isOpened = true;
  const yes = { requestState: stateOf(again), inputResponses: { 1: { action: 'accept' } } };
  assert.deepEqual((await host.ask(call(5, yes, offered))).result, { content: [], resultType: 'complete' });
});
