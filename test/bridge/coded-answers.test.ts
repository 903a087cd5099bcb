import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { bareHome, event, scriptedServer, startBridge, usual } from './host.js';

const coders = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync } as Readonly<
  Record<string, typeof gzipSync>
>;
const json = 'application/json';

test('an answer that is compressed, though that was not asked for, is unpacked; what cannot be is an error [A-253]', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { method, id, params } = seen.message;
    if (method !== 'tools/call') return usual(seen, response);
    assert.equal(seen.headers['accept-encoding'], 'identity');
    const coding = String(params?.['name']);
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(100_000) } });
    const coder = { ...coders, br: brotliCompressSync }[coding] ?? gzipSync;
    const body = coding === 'damaged' ? Buffer.from('nothing that is packed') : coder(text);
    const named = coding === 'damaged' ? 'gzip' : coding;
    response.writeHead(200, { 'content-type': json, 'content-encoding': named }).end(body);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (const coding of [...Object.keys(coders), 'identity, gzip']) {
    const { result } = await host.ask({ id: coding, method: 'tools/call', params: { name: coding } });
    assert.equal(String(result?.['text']).length, 100_000, coding);
  }
  for (const coding of ['br', 'zstd', 'gzip, br', 'damaged']) {
    const { error } = await host.ask({ id: coding, method: 'tools/call', params: { name: coding } });
    assert.equal(error?.data?.['code'], 'network_failed', coding);
    assert.match(String(error?.message), /compress/);
  }
});

test('the events of a compressed stream come as they are sent, and no end makes its answer fail', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { method, id } = seen.message;
    if (method !== 'tools/call') return usual(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    gzip.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } }));
    gzip.flush(() => {
      setTimeout(() => gzip.end(event({ jsonrpc: '2.0', id, result: {} })), 50);
    });
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  const first = await host.ask({ id: 1, method: 'tools/call', params: {} });
  assert.equal(first.method, 'notifications/message');
  assert.equal((await host.next()).id, 1);
});

test('a small answer that unpacks to an endless one is given up at the limit for messages [A-253]', async () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(64 * 1024 * 1024, 'x')]));
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response);
    response.writeHead(200, { 'content-type': json, 'content-encoding': 'gzip' }).end(bomb);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  const { error } = await host.ask({ id: 1, method: 'tools/call', params: {} });
  assert.equal(error?.data?.['code'], 'protocol_broken');
  assert.match(String(error?.message), /larger than 32 MiB/);
  assert.ok((await host.ask({ id: 2, method: 'ping' })).result !== undefined, 'the bridge lives on');
});
