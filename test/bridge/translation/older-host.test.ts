import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere } from '../../support/in-process.js';
import { bareHome, event, requestOf, scriptedServer, startBridge } from '../host.js';
import { metaIn, methodsOf, newerOnly, open, protocolVersion, sendJson, until } from './newer-only.js';

test('[Q-1.11][Q-1.12][Q-2.1][Q-2.2][Q-2.3] initialize is answered from server/discover, and each request says what the host has said', async () => {
  await using server = await newerOnly(() => ({ result: { resultType: 'complete', tools: [], ttlMs: 5 } }));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const opened = await open(host, { elicitation: {}, tasks: { list: {} } });
  assert.deepEqual(opened.result, {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'newer', version: '9' },
    instructions: 'Be brief.',
  });
  assert.deepEqual((await host.ask({ id: 1, method: 'ping' })).result, {});
  const said =
    '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":12345678901234567891,"x/y":[1e400]},"cursor":""}}';
  host.send(said);
  assert.deepEqual(JSON.parse(await host.line()), {
    jsonrpc: '2.0',
    id: 7,
    result: { resultType: 'complete', tools: [], ttlMs: 5 },
  });
  const listed = await requestOf(server, ({ message }) => message.method === 'tools/list');
  assert.equal(listed.headers['mcp-protocol-version'], '2026-07-28');
  assert.equal(listed.headers['mcp-method'], 'tools/list');
  assert.deepEqual(
    { ...metaIn(listed), 'x/y': 0, progressToken: 0 },
    {
      progressToken: 0,
      'x/y': 0,
      [protocolVersion]: '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'old host', version: '3' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    },
  );
  assert.match(listed.body.toString(), /"progressToken":12345678901234567891,"x\/y":\[1e400\].*"cursor":""/);
  assert.ok(server.seen.every(({ headers, method }) => method === 'POST' && headers['mcp-session-id'] === undefined));
});

test('[Q-1.12] what is written together with initialize waits until it is known that it is to be translated', async () => {
  await using server = await newerOnly(() => ({ result: { tools: [] } }));
  await using home = await bareHome();
  const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } };
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const text = [opening, initialized, list].map((one) => `${JSON.stringify(one)}\n`).join('');
  const { stdout } = await runHere(home, ['bridge', server.url], text);
  assert.match(stdout, /"id":0,"result".*\n.*"id":1,"result":\{"tools":\[\]\}/);
  assert.ok(!methodsOf(server).includes('notifications/initialized'), 'the newer era has none');
});

test('[Q-1.12] a host of a revision that nobody knows is given the newest of its era', async () => {
  await using server = await newerOnly(() => ({ result: {} }));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  assert.equal((await open(host, {}, '1999-01-01')).result?.['protocolVersion'], '2025-11-25');
});

test('[Q-1.13] a server of yet another revision is named so, with those of both', async () => {
  await using odd = await scriptedServer(({ message: { id } }, response) => {
    sendJson(response, { id, error: { code: -32022, message: 'no', data: { supported: ['2031-01-01'] } } }, 400);
  });
  await using home = await bareHome();
  await using host = startBridge(home, odd.url);
  const { error } = await open(host);
  assert.equal(error?.code, -31012);
  assert.match(error.message, /"2031-01-01".*2026-07-28/);
});

test('[Q-4.1][Q-4.2][Q-4.3][Q-4.6] what a result asks is asked of the host, and the request goes out again with the state as it came', async () => {
  const state = '"opaque \\u0000 \\/ ü"';
  await using server = await newerOnly(({ id, params }, _seen, response) => {
    if (params?.['requestState'] !== undefined) return { result: { content: [], got: params['inputResponses'] } };
    response.writeHead(200, { 'content-type': 'application/json' });
    const asks =
      '{"a b":{"method":"elicitation/create","params":{"message":"who?","max":1e400}},"r":{"method":"roots/list"}}';
    response.end(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"input_required","inputRequests":${asks},"requestState":${state}}}`,
    );
    return undefined;
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host, { elicitation: {}, roots: {} });
  host.send({ id: 5, method: 'tools/call', params: { name: 't', arguments: { n: 1 } } });
  const line = await host.line();
  assert.match(line, /"params":\{"message":"who\?","max":1e400\}/);
  const asked = JSON.parse(line);
  assert.equal(asked.method, 'elicitation/create');
  host.send({ id: asked.id, result: { action: 'accept', content: { name: 'Ada' } } });
  const roots = await host.next();
  assert.equal(roots.method, 'roots/list');
  host.send({ id: 'nobody asked', result: { action: 'accept' } });
  host.send({ id: roots.id, result: { roots: [] } });
  const done = await host.next();
  assert.deepEqual(done, {
    jsonrpc: '2.0',
    id: 5,
    result: { content: [], got: { 'a b': { action: 'accept', content: { name: 'Ada' } }, r: { roots: [] } } },
  });
  const [first, second] = server.seen.filter(({ message }) => message.method === 'tools/call');
  assert.notEqual(first?.message.id, second?.message.id);
  assert.equal(second?.message.params?.['requestState'], JSON.parse(state), 'character for character');
  assert.equal(second?.headers['mcp-name'], 't');
});

test('[Q-2.3][Q-4.6] what the host has not declared is not asked of it, and a page only where it takes pages', async () => {
  const page = { method: 'elicitation/create', params: { mode: 'url', url: 'https://x.example', message: 'm' } };
  await using server = await newerOnly(({ params }) => {
    if (params?.['inputResponses'] !== undefined) return { result: { content: [] } };
    const inputRequests =
      params?.['name'] === 'page' ? { p: page } : { s: { method: 'sampling/createMessage', params: {} } };
    return { result: { resultType: 'input_required', inputRequests } };
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host, { elicitation: {} });
  for (const [id, name, what] of [
    [1, 'page', 'elicitation/create'],
    [2, 'sample', 'sampling/createMessage'],
  ] as const) {
    const { error } = await host.ask({ id, method: 'tools/call', params: { name } });
    assert.match(error?.message ?? '', new RegExp(`"${what}"`));
  }
  await using other = startBridge(home, server.url);
  await open(other, { elicitation: { url: {} } });
  const asked = await other.ask({ id: 1, method: 'tools/call', params: { name: 'page' } });
  assert.match(String(asked.params?.['elicitationId']), /^[0-9a-f-]{36}$/, 'the older era knows a page by one');
  other.send({ id: asked.id, error: { code: -32601, message: 'no \u001b[2J' } });
  const { error } = await other.next();
  assert.equal(error?.code, -31014);
  assert.match(error.message, /"elicitation\/create".*"no /);
});

test('[Q-4.4] a server that asks for ever, or too much, is ended', async () => {
  await using server = await newerOnly(({ params }) => {
    const request = { method: 'roots/list' };
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, request]));
    const inputRequests = params?.['name'] === 'many' ? { inputRequests: many } : {};
    return { result: { resultType: 'input_required', requestState: 's', ...inputRequests } };
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host, { roots: {} });
  const forever = await host.ask({ id: 1, method: 'tools/call', params: { name: 'ever' } });
  assert.match(forever.error?.message ?? '', /11th time/);
  assert.equal(methodsOf(server).filter((one) => one === 'tools/call').length, 11);
  const many = await host.ask({ id: 2, method: 'tools/call', params: { name: 'many' } });
  assert.match(many.error?.message ?? '', /asks 21 things at a time/);
  const odd = await host.ask({ id: 3, method: 'tools/list' });
  assert.match(odd.error?.message ?? '', /"input_required", which tools\/list cannot have/);
});

test('[Q-3.4][Q-3.5] cancelling ends the exchange, and the question that is open; an id can be used again', async () => {
  let closed = 0;
  await using server = await newerOnly(({ params }, _seen, response) => {
    if (params?.['name'] === 'ask') {
      return { result: { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } } } };
    }
    if (params?.['name'] === 'fast') return { result: { content: [] } };
    response.once('close', () => {
      closed += 1;
    });
    return undefined;
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host, { roots: {} });
  host.send({ id: 1, method: 'tools/call', params: { name: 'slow' } });
  await requestOf(server, ({ message }) => message.params?.['name'] === 'slow');
  host.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await until(() => closed === 1);
  const asked = await host.ask({ id: 2, method: 'tools/call', params: { name: 'ask' } });
  assert.equal(asked.method, 'roots/list');
  host.send({ method: 'notifications/cancelled', params: { requestId: 2 } });
  const taken = await host.next();
  assert.deepEqual([taken.method, taken.params?.['requestId']], ['notifications/cancelled', asked.id]);
  host.send({ id: asked.id, result: { roots: [] } });
  assert.ok((await host.ask({ id: 2, method: 'tools/call', params: { name: 'fast' } })).result !== undefined);
  assert.ok(!methodsOf(server).includes('notifications/cancelled'));
});

test('[Q-5.1][Q-5.2] list changes and followed resources come on one stream, which is opened anew when it breaks', async () => {
  await using server = await newerOnly(() => ({ result: {} }));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host);
  await until(() => server.streams.length === 1);
  server.change('notifications/tools/list_changed');
  assert.equal((await host.next()).method, 'notifications/tools/list_changed');
  for (const uri of ['a:1', 'a:2']) {
    assert.deepEqual((await host.ask({ id: uri, method: 'resources/subscribe', params: { uri } })).result, {});
  }
  await until(() => server.streams.length === 1);
  assert.deepEqual(server.streams[0]?.filter, { toolsListChanged: true, resourceSubscriptions: ['a:1', 'a:2'] });
  await host.ask({ id: 'off', method: 'resources/unsubscribe', params: { uri: 'a:1' } });
  await until(() => server.streams.length === 1);
  server.change('notifications/message', { data: 'not on this stream' });
  server.change('notifications/resources/updated', { uri: 'a:2' });
  assert.equal((await host.next()).params?.['uri'], 'a:2');
  server.streams[0]?.response.destroy();
  await until(
    () => server.streams.length === 1 && methodsOf(server).filter((one) => one.includes('listen')).length === 5,
  );
  assert.deepEqual(server.streams[0]?.filter, { toolsListChanged: true, resourceSubscriptions: ['a:2'] });
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
});

test('[Q-5.8][Q-3.7] a log level goes with each request, and what comes before a response reaches the host before it', async () => {
  await using server = await newerOnly(({ id }, seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const level = metaIn(seen)['io.modelcontextprotocol/logLevel'];
    response.write(`: still here\n\n${event({ jsonrpc: '2.0', method: 'notifications/message', params: { level } })}`);
    response.end(event({ jsonrpc: '2.0', id, result: { content: [] } }));
    return undefined;
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host);
  assert.equal((await host.ask({ id: 1, method: 'logging/setLevel', params: { level: 'loud' } })).error?.code, -32602);
  assert.deepEqual((await host.ask({ id: 2, method: 'logging/setLevel', params: { level: 'warning' } })).result, {});
  assert.deepEqual((await host.ask({ id: 3, method: 'tools/call', params: { name: 't' } })).params, {
    level: 'warning',
  });
  assert.equal((await host.next()).id, 3);
});

test('[Q-2.8][Q-2.9][Q-2.10] marked parameters go into headers: tools are read where the server misses one, broken ones are left out', async () => {
  const tool = (name: string, mark: string) => ({
    name,
    inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': mark } } },
  });
  await using server = await newerOnly(({ id, method }, seen, response) => {
    if (method === 'tools/list') return { result: { tools: [tool('good', 'R'), tool('bad', 'no token')] } };
    if (seen.headers['mcp-param-r'] === 'x') return { result: { content: [] } };
    sendJson(response, { id, error: { code: -32020, message: 'Header mismatch' } }, 400);
    return undefined;
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host);
  const call = { id: 1, method: 'tools/call', params: { name: 'good', arguments: { r: 'x' } } };
  assert.ok((await host.ask(call)).result !== undefined);
  const { result } = await host.ask({ id: 2, method: 'tools/list' });
  assert.deepEqual(
    (result?.['tools'] as { name: string }[] | undefined)?.map(({ name }) => name),
    ['good'],
  );
  const missed = await host.ask({ id: 3, method: 'tools/call', params: { name: 'good' } });
  assert.equal(missed.error?.code, -32020, 'once more, and no more');
});
