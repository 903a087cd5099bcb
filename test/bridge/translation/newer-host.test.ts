import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import {
  type BridgeHost,
  bareHome,
  event,
  type Rpc,
  requestOf,
  type Seen,
  scriptedServer,
  startBridge,
} from '../host.js';
import { methodsOf, protocolVersion, sendJson } from './newer-only.js';

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await later(5);
};

const meta = (capabilities: object = {}, more: object = {}) => ({
  [protocolVersion]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'new host', version: '7' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  ...more,
});

const call = (id: unknown, params: object = {}, capabilities: object = { elicitation: {} }, more: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 't', ...params, _meta: meta(capabilities, more) },
});

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {}, tasks: {} };

interface Shared {
  /** The session's own stream. */
  stream?: ServerResponse;
}

/** A server of the older era alone, with sessions. @param reply What it does with calls and lists. */
async function olderOnly(reply: (message: Rpc, response: ServerResponse, seen: Seen, shared: Shared) => void) {
  const shared: Shared = {};
  const server = await scriptedServer((seen, response) => {
    const { id, method } = seen.message;
    if (seen.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
      shared.stream = response;
    } else if (seen.method === 'DELETE') response.writeHead(200).end();
    else if (method === 'initialize') {
      response.setHeader('mcp-session-id', 'session-1');
      const result = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'old', version: '1' } };
      sendJson(response, { id, result: { ...result, instructions: 'Sit.' } });
    } else if (seen.headers['mcp-session-id'] !== 'session-1') {
      sendJson(response, { id: null, error: { code: -32000, message: 'Begin with initialize' } }, 400);
    } else if (id === undefined || method === undefined) {
      response.writeHead(202).end();
      if (method === undefined) reply(seen.message, response, seen, shared);
    } else if (/^(?:resources\/(?:un)?subscribe|logging\/setLevel)$/.test(method))
      sendJson(response, { id, result: {} });
    else reply(seen.message, response, seen, shared);
  });
  return Object.assign(server, { shared });
}

/** Calls ask in the middle of their event stream, and respond once they know. */
function asking(method = 'elicitation/create') {
  const open = new Map<unknown, { response: ServerResponse; id: unknown }>();
  let asked = 0;
  return olderOnly((message, response) => {
    const { id, params, result } = message;
    if (message.method === 'tools/call') {
      asked += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const progressToken = (params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken;
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
      if (progressToken !== undefined) response.write(event(progress));
      open.set(`q${asked}`, { response, id });
      const question = { message: `who ${asked}?`, elicitationId: 'gone' };
      response.write(event({ jsonrpc: '2.0', id: `q${asked}`, method, params: question }));
    } else if (result !== undefined) {
      const one = open.get(id);
      one?.response.end(event({ jsonrpc: '2.0', id: one.id, result: { content: [], got: result } }));
    }
  });
}

const stateOf = ({ result }: Rpc) => String(result?.['requestState']);

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
