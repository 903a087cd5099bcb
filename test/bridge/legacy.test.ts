import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { bareHome, event, type ScriptedServer, scriptedServer, startBridge } from './host.js';

/** A server of 2024-11-05: everything comes on one stream, messages go to the address that it names. */
function olderServer(endpoint: string): Promise<ScriptedServer> {
  let stream: ServerResponse | undefined;
  return scriptedServer(({ method, url, message }, response) => {
    if (method === 'GET' && url === '/mcp') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      stream = response;
    } else if (method !== 'POST' || !url.startsWith('/messages')) {
      response.writeHead(405, { 'content-type': 'text/plain' }).end('Method not allowed');
    } else {
      response.writeHead(202).end('Accepted');
      const { id, params } = message;
      if (message.method === 'hang up') stream?.end();
      else if (id !== undefined) {
        const result =
          message.method === 'initialize' ? { protocolVersion: '2024-11-05' } : { echoed: params };
        stream?.write(`event: message\n${event({ jsonrpc: '2.0', id, result })}`);
      }
    }
  });
}

test('a server that has only the older transport is spoken to in that', async () => {
  await using server = await olderServer('/messages?session=7');
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  assert.deepEqual((await host.open()).result, { protocolVersion: '2024-11-05' });
  assert.deepEqual((await host.ask({ id: 1, method: 'tools/list', params: { a: 1 } })).result, {
    echoed: { a: 1 },
  });
  const paths = server.seen.map(({ method, url, message }) =>
    `${method} ${url} ${message.method ?? ''}`.trim(),
  );
  assert.deepEqual(paths, [
    'POST /mcp initialize',
    'GET /mcp',
    'POST /messages?session=7 initialize',
    'POST /messages?session=7 notifications/initialized',
    'POST /messages?session=7 tools/list',
  ]);
  const lost = await host.ask({ id: 2, method: 'hang up' });
  assert.equal(lost.error?.data?.['code'], 'answer_missing');
  assert.equal((await host.ask({ id: 3, method: 'ping' })).error?.data?.['code'], 'session_lost');
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
});

test('an address for messages on another origin is not used', async () => {
  await using elsewhere = await scriptedServer((_, response) => void response.writeHead(202).end());
  for (const address of [
    `${elsewhere.origin}/messages`,
    `//127.0.0.1:${elsewhere.port}/messages`,
    '/\\evil',
    '',
  ]) {
    await using server = await olderServer(address);
    await using home = await bareHome();
    await using host = startBridge(home, server.url);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const { error } = await host.ask({ id: 0, method: 'initialize', params });
    assert.ok(error !== undefined, address);
  }
  assert.equal(elsewhere.seen.length, 0);
});
