import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere } from '../support/in-process.js';
import { bareHome, event, requestOf, scriptedServer, startBridge, usual } from './host.js';

test('one round trip to the first answer; the session and the agreed revision on all that follows; DELETE at the end', async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response, 'session-1'));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const opened = await host.open('2025-06-18');
  assert.equal(opened.result?.['protocolVersion'], '2025-06-18');
  assert.equal(server.seen.length >= 1 && server.seen[0]?.message.method, 'initialize');
  assert.equal(server.seen[0]?.headers['mcp-session-id'], undefined);
  assert.equal(server.seen[0]?.headers.authorization, undefined);
  assert.equal(server.seen[0]?.headers.accept, 'application/json, text/event-stream');
  const answer = await host.ask({ id: 'a', method: 'tools/list', params: { x: 1 } });
  assert.deepEqual(answer, { jsonrpc: '2.0', id: 'a', result: { echoed: { x: 1 } } });
  const stream = await requestOf(server, ({ method }) => method === 'GET');
  host.program.stdin.end();
  const { code, stdout, stderr } = await host.program.finished;
  assert.equal(code, 0, stderr);
  assert.equal(stdout.split('\n').length, 3);
  const later = server.seen.slice(1);
  assert.deepEqual(later.map(({ method, message }) => message.method ?? method).sort(), [
    'DELETE',
    'GET',
    'notifications/initialized',
    'tools/list',
  ]);
  for (const { headers } of [...later, stream]) {
    assert.equal(headers['mcp-session-id'], 'session-1');
    assert.equal(headers['mcp-protocol-version'], '2025-06-18');
  }
  assert.doesNotMatch(stderr, /session-1/);
});

test('what is written together with initialize waits for its session, and keeps its order', async () => {
  let isReady = false;
  await using server = await scriptedServer((seen, response) => {
    const { method } = seen.message;
    isReady ||= method === 'notifications/initialized' && seen.headers['mcp-session-id'] === 's';
    const isEarly = seen.method === 'POST' && method !== 'initialize' && !isReady;
    if (isEarly) response.writeHead(400).end('Begin with initialize');
    else usual(seen, response, 's');
  });
  await using home = await bareHome();
  const initialize = { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  const initialized = { method: 'notifications/initialized' };
  const list = { id: 1, method: 'tools/list' };
  const noted = { method: 'notifications/progress' };
  const text = (messages: readonly object[]) =>
    messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('');
  const { stdout, stderr } = await runHere(home, ['bridge', server.url], text([initialize, initialized, list]));
  assert.match(stdout, /"id":0,.*\n.*"id":1,"result"/, stderr);
  await using host = startBridge(home, server.url);
  await host.ask(initialize);
  host.program.stdin.write(text([noted, noted, initialized, list]));
  assert.equal((await host.next()).id, 1, 'no notification waits for one that comes after it');
});

const rpcError = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });

/** How servers say that they do not know a session: the status and the body. */
const losses: readonly (readonly [status: number, type: string, body: string])[] = [
  [404, 'text/plain', 'Session not found'],
  [400, 'application/json', rpcError(-32_000, 'Bad Request: No valid session ID provided')],
  [400, 'application/json', rpcError(-32_000, 'Bad Request: Server not initialized')],
  [400, 'text/plain', 'Invalid session ID'],
  [200, 'application/json', rpcError(-32_001, 'Session not found')],
];

for (const [status, type, text] of losses) {
  test(`a server that knows the session no longer (${status} ${text}) is given the host’s own opening messages again, once for all requests`, async () => {
    let sessions = 0;
    await using server = await scriptedServer((seen, response) => {
      const { message, headers } = seen;
      if (message.method === 'initialize') sessions += 1;
      const isLost = message.method === 'tools/call' && headers['mcp-session-id'] === 'session-1';
      if (isLost) response.writeHead(status, { 'content-type': type }).end(text);
      else usual(seen, response, `session-${sessions}`);
    });
    await using home = await bareHome();
    await using host = startBridge(home, server.url);
    await host.open();
    for (const id of [1, 2, 3]) host.send({ id, method: 'tools/call', params: { name: `t${id}` } });
    const answers = [await host.next(), await host.next(), await host.next()];
    assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3]);
    assert.ok(answers.every(({ result }) => result !== undefined));
    const opening = server.seen.filter(({ message }) => message.method === 'initialize');
    assert.equal(opening.length, 2);
    assert.deepEqual(opening[1]?.body, opening[0]?.body);
    assert.equal(server.seen.filter(({ message }) => message.method === 'notifications/initialized').length, 2);
    await host.program.waitForStderr(/The server had forgotten the session; another one was opened/);
  });
}

test('a refusal that speaks of a session in another one, too, is the host’s, and opens no further session', async () => {
  const text = rpcError(-32_000, 'start a shopping session first');
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response, 'session-of-a-bridge');
    response.writeHead(400, { 'content-type': 'application/json' }).end(text);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (let id = 1; id <= 5; id += 1) {
    const { error } = await host.ask({ id, method: 'tools/call', params: {} });
    assert.match(error?.message ?? '', /shopping session/);
  }
  assert.equal(server.seen.filter(({ message }) => message.method === 'initialize').length, 2);
});

test('an error of a tool call that is none of the session is passed on', async () => {
  const text = rpcError(-32_602, 'no such session');
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response, 'session-of-a-bridge');
    response.writeHead(200, { 'content-type': 'application/json' }).end(text.replace('null', String(seen.message.id)));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  assert.equal((await host.ask({ id: 1, method: 'tools/call', params: {} })).error?.code, -32_602);
  assert.equal(server.seen.filter(({ message }) => message.method === 'initialize').length, 1);
});

test('a server that forgets every session is not asked for ever', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method === 'tools/call') response.writeHead(404).end();
    else usual(seen, response, 'session-of-a-bridge');
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (let id = 1; id <= 5; id += 1) {
    const { error } = await host.ask({ id, method: 'tools/call', params: {} });
    assert.equal(error?.code, -31012);
    assert.equal(error?.data?.['code'], id <= 3 ? 'http_failed' : 'session_lost');
  }
  assert.equal(server.seen.filter(({ message }) => message.method === 'initialize').length, 4);
});

test('requests of the server reach the host, and its answers the server', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response, 's');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { message: 'Sure?' } }));
    response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }));
    void requestOf(server, ({ message }) => message.id === 5 && message.result !== undefined).then(() => {
      response.end(event({ jsonrpc: '2.0', id: 5, result: { done: true } }));
    });
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  // The same id on both sides: each side counts for itself.
  const asked = await host.ask({ id: 5, method: 'tools/call', params: { name: 'x' } });
  assert.equal(asked.method, 'elicitation/create');
  assert.equal((await host.next()).method, 'notifications/progress');
  host.send({ id: 5, result: { action: 'accept' } });
  assert.deepEqual((await host.next()).result, { done: true });
});

test('a load balancer that pins a session by a cookie finds it again, in the streams, too, and the cookie is not shown', async () => {
  const pin = 'pin=backend-7-canary-of-the-balancer';
  await using server = await scriptedServer((seen, response) => {
    const { message, headers } = seen;
    if (message.method === 'initialize') response.setHeader('set-cookie', ['other=1; Max-Age=0', `${pin}; Path=/`]);
    if (message.method === 'initialize' || headers.cookie === pin) usual(seen, response, 's');
    else response.writeHead(404).end(`Session not found ${headers.cookie ?? ''}`);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url, '--verbose');
  await host.open();
  assert.ok((await host.ask({ id: 1, method: 'tools/list' })).result !== undefined);
  host.program.stdin.end();
  const { stdout, stderr } = await host.program.finished;
  assert.ok(!`${stdout}${stderr}`.includes('canary'), stderr);
  const opened = server.seen.findIndex(({ message }) => message.method === 'initialize');
  const cookies = server.seen.slice(opened + 1).map(({ method, headers }) => `${method} ${headers.cookie}`);
  assert.deepEqual([...new Set(cookies)].sort(), [`DELETE ${pin}`, `GET ${pin}`, `POST ${pin}`]);
});

test('stdout carries messages and nothing else, also when the server is not there [A-234]', async () => {
  await using home = await bareHome();
  await using host = startBridge(home, 'http://127.0.0.1:9/mcp', '--verbose');
  const { id, error } = await host.ask({ id: 1, method: 'initialize', params: {} });
  assert.equal(id, 1);
  assert.equal(error?.data?.['code'], 'network_failed');
  assert.match(error?.message ?? '', /refuses connections/);
  host.program.stdin.end();
  const { code, stdout } = await host.program.finished;
  assert.equal(code, 0);
  for (const line of stdout.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
});

test('the standing stream is opened once the session is, and again, later each time, when it drops [A-241]', async () => {
  const times: number[] = [];
  await using server = await scriptedServer((seen, response) => {
    if (seen.method !== 'GET') return usual(seen, response, 's');
    times.push(performance.now());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (times.length === 1) response.write(event({ jsonrpc: '2.0', method: 'notifications/a' }, 'x-1'));
    if (times.length === 5) response.write(event({ jsonrpc: '2.0', method: 'notifications/b' }, 'x-2'));
    response.write('retry: 0\n\n');
    if (times.length < 5) response.end();
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  assert.equal((await host.next()).method, 'notifications/a');
  assert.equal((await host.next()).method, 'notifications/b');
  const streams = server.seen.filter(({ method }) => method === 'GET');
  assert.deepEqual(
    streams.map(({ headers }) => headers['last-event-id']),
    [undefined, 'x-1', 'x-1', 'x-1', 'x-1'],
  );
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.ok(
    pauses.every((pause) => pause >= 245),
    `${pauses}`,
  );
  assert.ok((pauses.at(-1) ?? 0) >= 900, `${pauses}`);
});
