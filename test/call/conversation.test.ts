import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareHome, event, olderServer, type Rpc, scriptedServer, startBridge, usual } from '../bridge/host.js';
import { runHere } from '../support/in-process.js';

const json = { 'content-type': 'application/json' };

test('a server that has only the older transport is called in that, as through the bridge', async () => {
  await using server = await olderServer(() => '/messages?session=7');
  await using home = await bareHome();
  const { code, stdout, stderr } = await runHere(home, ['call', server.url, 'prompts/get', 'a', '--json']);
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).echoed.name, 'a');
  assert.deepEqual(
    server.seen.map(({ method, url, message }) => `${method} ${url} ${message.method ?? ''}`.trim()),
    [
      'POST /mcp server/discover',
      'POST /mcp initialize',
      'GET /mcp',
      'POST /messages?session=7 initialize',
      'POST /messages?session=7 notifications/initialized',
      'POST /messages?session=7 prompts/get',
    ],
  );
});

test('an error that names no request is the response to the one that it came for', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'ping') usual(seen, response);
    else
      response
        .writeHead(200, json)
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No such thing"}}');
  });
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'ping']);
  assert.equal(code, 8);
  assert.match(stderr, /refused "ping" \(-32000\): "No such thing"/);
});

test('a stream that ends before its response is resumed after its last event', async () => {
  let pinged: Rpc['id'];
  await using server = await scriptedServer((seen, response) => {
    const { method, message, headers } = seen;
    if (message.method === 'ping') pinged = message.id;
    const isResumed = headers['last-event-id'] === 'e1';
    if (message.method !== 'ping' && !isResumed) {
      usual(seen, response);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const result = { from: method };
    response.end(isResumed ? event({ jsonrpc: '2.0', id: pinged, result }, 'e2') : 'id: e1\nretry: 250\ndata:\n\n');
  });
  await using home = await bareHome();
  const { code, stdout, stderr } = await runHere(home, ['call', server.url, 'ping', '--json']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { from: 'GET' });
});

test('a session that the server has lost is opened once more, and not for ever', async () => {
  let sessions = 0;
  let forgets = 1;
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method === 'initialize') sessions += 1;
    if (seen.message.method === 'ping' && sessions <= forgets) response.writeHead(404).end();
    else usual(seen, response, `session-${sessions}`);
  });
  await using home = await bareHome();
  const found = await runHere(home, ['call', server.url, 'ping', '--json']);
  assert.equal(found.code, 0, found.stderr);
  assert.deepEqual([sessions, server.seen.at(-1)?.headers['mcp-session-id']], [2, 'session-2']);
  forgets = Number.POSITIVE_INFINITY;
  const lost = await runHere(home, ['call', server.url, 'ping']);
  assert.equal(lost.code, 8);
  assert.match(lost.stderr, /responded 404/);
  assert.equal(sessions, 4);
});

test('a server that closes each connection after a response gets every request, and each tool call once', async () => {
  const used = new WeakSet<object>();
  const lost: unknown[] = [];
  await using server = await scriptedServer((seen, response) => {
    const { socket } = response;
    if (socket === null) return;
    if (used.has(socket)) {
      lost.push(seen.message.method);
      socket.destroy();
      return;
    }
    used.add(socket);
    usual(seen, response);
  });
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'x', '--json']);
  assert.equal(code, 0, stderr);
  await using host = startBridge(home, server.url);
  await host.open();
  for (const method of ['tools/list', 'tools/call', 'ping', 'tools/call', 'resources/read']) {
    const { error } = await host.ask({ id: method, method, params: { name: 'x' } });
    assert.equal(error, undefined, method);
  }
  assert.ok(lost.length > 0 && !lost.includes('tools/call'), lost.join(' '));
});

test('a tool call whose connection ends without a response is said to be possibly carried out, and not repeated', async () => {
  let called = 0;
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response);
    called += 1;
    response.socket?.destroy();
  });
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'x']);
  assert.deepEqual([code, called], [6, 1], stderr);
  assert.match(stderr, /The request may have been carried out: check before you try again\./);
  await using host = startBridge(home, server.url);
  await host.open();
  const { error } = await host.ask({ id: 9, method: 'tools/call', params: { name: 'x' } });
  assert.match(error?.message ?? '', /may have been carried out/);
  assert.equal(called, 2);
});

test('a 202 to a request, and an unknown coding, are named as what they are', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { method, params } = seen.message;
    if (method !== 'tools/call') return usual(seen, response);
    if (params?.['name'] === 'accepted') return void response.writeHead(202).end();
    response.writeHead(200, { ...json, 'content-encoding': String(params?.['name']) }).end('{}');
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (const [name, code, exit, says] of [
    ['accepted', 'protocol_broken', 5, /accepted the request but sent no result \(202\)/],
    ['utf-8', 'network_failed', 6, /unknown Content-Encoding/],
    ['none', 'network_failed', 6, /unknown Content-Encoding/],
  ] as const) {
    const said = await runHere(home, ['call', server.url, name, '--json']);
    const { error } = JSON.parse(said.stderr) as { error: { code: string; message: string } };
    assert.deepEqual([error.code, said.code], [code, exit], name);
    assert.match(error.message, says);
    const answer = await host.ask({ id: name, method: 'tools/call', params: { name } });
    assert.equal(answer.error?.data?.['code'], code, name);
    assert.match(answer.error?.message ?? '', says);
  }
});

test('a page of any number of entries is put together with the others', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/list') {
      usual(seen, response);
      return;
    }
    const isLast = seen.message.params?.['cursor'] === 'more';
    const result = isLast ? { tools: Array(200_000).fill(0) } : { tools: [1, [2]], nextCursor: 'more' };
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: seen.message.id, result }));
  });
  await using home = await bareHome();
  const { code, stdout, stderr } = await runHere(home, ['call', server.url, 'tools/list', '--json']);
  assert.equal(code, 0, stderr);
  const { tools } = JSON.parse(stdout);
  assert.deepEqual([tools.length, tools.slice(0, 2)], [200_002, [1, [2]]]);
});

test('a load balancer that pins a session by a cookie finds it again', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { message, headers } = seen;
    if (message.method === 'initialize') response.setHeader('set-cookie', ['pin=7; Path=/', 'zone=b']);
    if (message.method === 'initialize' || headers.cookie === 'pin=7; zone=b') usual(seen, response, 's');
    else response.writeHead(404).end('Session not found');
  });
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'ping']);
  assert.equal(code, 0, stderr);
});

const large = '12345678901234567890';

test('a number that a double cannot hold goes out as it is spelled, and comes back so', async () => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'integer' }, of: { type: 'number' }, o: { type: 'object' } },
  };
  await using server = await scriptedServer((seen, response) => {
    const { method, id } = seen.message;
    const json = { 'content-type': 'application/json' };
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    if (method === 'tools/list') {
      response.writeHead(200, json).end(`${head}${JSON.stringify({ tools: [{ name: 't', inputSchema: schema }] })}}`);
    } else if (method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: {"jsonrpc":"2.0","id":${large},"method":"ping"}\n\n`);
      response.end(`data: ${head}{"content":[],"structuredContent":{"id":${large},"huge":1e400}}}\n\n`);
    } else usual(seen, response);
  });
  await using home = await bareHome();
  const file = join(home.path, 'arguments.json');
  await writeFile(file, `{"id":${large}}`);
  const ways: readonly (readonly [words: readonly string[], sent: string, stdin?: string])[] = [
    [[`id:=${large}`], `{"id":${large}}`],
    [[`id=${large}`], `{"id":${large}}`],
    [['of=1e400', 'id=+1'], '{"of":1e400,"id":1}'],
    [[`o={"id":${large}}`], `{"o":{"id":${large}}}`],
    [[`@${file}`], `{"id":${large}}`],
    [['-'], `{"id":${large}}`, `{"id":${large}}`],
  ];
  for (const [words, sent, stdin] of ways) {
    const { code, stdout, stderr } = await runHere(home, ['call', server.url, 't', ...words, '--json'], stdin);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`"structuredContent":\\{"id":${large},"huge":1e400\\}`));
    const body = server.seen.findLast(({ message }) => message.method === 'tools/call')?.body.toString() ?? '';
    assert.ok(body.includes(`"arguments":${sent}`), body);
  }
  const { stdout } = await runHere(home, ['call', server.url, 't', '--field', 'structuredContent.id']);
  assert.equal(stdout, `${large}\n`);
  const pong = server.seen.findLast(({ message }) => message.method === undefined && message.result !== undefined);
  assert.ok(pong?.body.toString().includes(`"id":${large}`), 'a request of the server’s is answered by its own id');
});
