import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, scriptedServer, startBridge, usualOfBoth } from './host.js';

const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

test('[Q-3.3][Q-5.4] a stream that breaks off is an error for its request; the bridge repeats and re-opens nothing by itself', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { method } = seen.message;
    if (method !== 'subscriptions/listen' && method !== 'tools/call') return usualOfBoth(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { data: method } }, 'e1'));
    setTimeout(() => response.destroy(), 20);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  for (const [id, method] of [
    [1, 'tools/call'],
    [2, 'subscriptions/listen'],
  ] as const) {
    assert.equal((await host.ask({ id, method, params: { name: 'x', _meta } })).params?.['data'], method);
    const failed = await host.next();
    assert.equal(failed.id, id);
    assert.ok(failed.error !== undefined, JSON.stringify(failed));
  }
  await host.ask({ id: 3, method: 'tools/list', params: { _meta } });
  assert.deepEqual(
    server.seen.map(({ method, message }) => `${method} ${message.method}`),
    ['POST tools/call', 'POST subscriptions/listen', 'POST tools/list'],
  );
});
