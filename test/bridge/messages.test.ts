import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, requestOf, scriptedServer, startBridge, usual } from './host.js';

test('what is no message of the host is refused, and what follows is passed on [A-235]', async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  const before = server.seen.length;
  const refused: readonly (readonly [string, number])[] = [
    ['nonsense', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"a"} {}', -32700],
    ['[{"jsonrpc":"2.0","id":1,"method":"a"}]', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"a"}', -32600],
    [`{"jsonrpc":"2.0","id":1,"method":"a","params":${'['.repeat(100_000)}`, -32700],
  ];
  for (const [line, code] of refused) {
    const { id, error } = await host.ask(line);
    assert.equal(id, null);
    assert.equal(error?.code, code, line.slice(0, 80));
  }
  const tooLong = await host.ask(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(33 * 1024 * 1024)}"}`);
  assert.equal(tooLong.error?.code, -32600);
  assert.equal((await host.ask({ id: 1, method: 'ping' })).id, 1);
  assert.ok(server.seen.slice(before).every(({ message }) => message.method !== 'a'));
});

test('an id that is in use is not used twice [A-235]', async () => {
  let finish: () => void = () => undefined;
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'slow') return usual(seen, response);
    finish = () => usual(seen, response);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  host.send({ id: 1, method: 'slow' });
  await requestOf(server, ({ message }) => message.method === 'slow');
  const second = await host.ask({ id: 1, method: 'slow' });
  assert.equal(second.id, null);
  assert.equal(second.error?.code, -32600);
  finish();
  assert.equal((await host.next()).id, 1);
});

test('answers that nobody waits for, and second ones, do not reach the host [A-237]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const id of [99, '1', 1, 1]) response.write(event({ jsonrpc: '2.0', id, result: { for: id } }));
    response.end();
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  assert.deepEqual((await host.ask({ id: 1, method: 'tools/call' })).result, { for: 1 });
  assert.deepEqual((await host.ask({ id: 2, method: 'ping' })).id, 2);
});

test('what the server sends comes out on one line, or an error in its place [A-233]', async () => {
  const answers: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
    pretty: ['application/json', '{\n  "jsonrpc": "2.0",\r\n  "id": 1,\n  "result": {"text": "a\\nb\u2028"}\n}\n'],
    lines: ['text/event-stream', 'data: {"jsonrpc":"2.0",\ndata: "id":1,\ndata: "result":{"text":"a\\nb\u2028"}}\n\n'],
    marked: ['application/json', '\ufeff{"jsonrpc":"2.0","id":1,"result":{"text":"a\\nb\u2028"}}'],
    broken: ['text/event-stream', 'data: {"jsonrpc":"2.0","id":1,"result":{"text":"a\ndata: b"}}\n\n'],
    two: ['application/json', '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"result":{}}'],
    html: ['text/html', '<html>'],
    latin: ['application/json', Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"text":"\xe9"}}', 'latin1')],
    nul: ['application/json', '{"jsonrpc":"2.0","id":1,"result":{}}\0'],
    empty: ['application/json', ''],
    batch: ['application/json', '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
  };
  await using server = await scriptedServer((seen, response) => {
    const [type, body] = answers[seen.message.method ?? ''] ?? [];
    if (type === undefined) usual(seen, response);
    else response.writeHead(200, { 'content-type': type }).end(body);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (const method of Object.keys(answers)) {
    const { id, result, error } = await host.ask({ id: 1, method });
    assert.equal(id, 1, method);
    if (['pretty', 'lines', 'marked'].includes(method)) assert.deepEqual(result, { text: 'a\nb\u2028' }, method);
    else assert.equal(error?.data?.['code'], method === 'broken' ? 'answer_missing' : 'protocol_broken', method);
  }
});

test('an error of JSON-RPC in an answer of HTTP that is no success is the answer, with the id of the request', async () => {
  const error = { code: -32022, message: 'no such revision', data: { supported: ['2026-07-28'], big: 1 } };
  await using server = await scriptedServer((seen, response) => {
    const { method } = seen.message;
    if (method === 'plain') return void response.writeHead(500, { 'content-type': 'text/plain' }).end('oh \u001b[2J');
    if (method !== 'same' && method !== 'none') return usual(seen, response);
    const id = method === 'same' ? seen.message.id : null;
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (const method of ['same', 'none']) {
    assert.deepEqual(await host.ask({ id: 7, method }), { jsonrpc: '2.0', id: 7, error });
  }
  assert.equal((await host.ask({ id: 7, method: 'plain' })).error?.data?.['code'], 'http_failed');
});

test('in the one revision that has batches their messages are passed on, each by itself', async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open('2025-03-26');
  host.send('[{"jsonrpc":"2.0","id":1,"method":"a"}, {"jsonrpc":"2.0","id":2,"method":"b"}]');
  assert.deepEqual([await host.next(), await host.next()].map(({ id }) => id).sort(), [1, 2]);
  assert.ok(server.seen.some(({ body }) => body.toString() === '{"jsonrpc":"2.0","id":1,"method":"a"}'));
});

test('a batch of more than 10,000 messages is one error, from either side, and nothing waits for it [A-235]', async () => {
  const batch = (count: number, message: object) =>
    `[${Array.from({ length: count }, () => JSON.stringify({ jsonrpc: '2.0', ...message })).join(',')}]`;
  const huge = batch(820_000, { id: 1, result: {} });
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/list') usual(seen, response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(huge);
  });
  await using home = await bareHome();
  for (const options of [[], ['--read-only']]) {
    await using host = startBridge(home, server.url, ...options);
    await host.open('2025-03-26');
    const refused = await host.ask(batch(10_001, { method: 'notifications/progress' }));
    assert.deepEqual([refused.id, refused.error?.code], [null, -32600]);
    const { id, error } = await host.ask({ id: 1, method: 'tools/list' });
    assert.equal(id, 1);
    assert.match(error?.message ?? '', /batch of more than 10,000\b/);
    assert.equal((await host.ask({ id: 2, method: 'ping' })).id, 2);
  }
});

test('a batch with a response that nobody waits for fails its request, which is not left without one [A-237]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/list') return usual(seen, response);
    const both = [1, seen.message.params?.['other']].map((id) => ({ jsonrpc: '2.0', id, result: {} }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(both));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open('2025-03-26');
  for (const other of [1, 99]) {
    const { id, error } = await host.ask({ id: 1, method: 'tools/list', params: { other } });
    assert.equal(id, 1);
    assert.equal(error?.data?.['code'], 'protocol_broken');
  }
});

test('a refusal whose body never ends is passed on with what has come of it', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/list') usual(seen, response);
    else response.writeHead(500, { 'content-type': 'text/plain' }).write('wait');
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  const { error } = await host.ask({ id: 1, method: 'tools/list' });
  assert.equal(error?.data?.['code'], 'http_failed');
});

test('an error that names no request is the response to the one that it came for', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/list') usual(seen, response);
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No such thing"}}');
    }
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  const error = { code: -32000, message: 'No such thing' };
  assert.deepEqual(await host.ask({ id: 'x', method: 'tools/list' }), { jsonrpc: '2.0', id: 'x', error });
});
