import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { bridge } from '../../src/bridge/bridge.js';
import { HostPipe } from '../../src/bridge/host-pipe.js';
import { flowPorts } from '../support/flow-ports.js';
import {
  bareHome,
  event,
  requestOf,
  type ScriptedServer,
  scriptedServer,
  startBridge,
  usual,
  usualOfBoth,
} from './host.js';
import { newerOnly, until } from './translation/newer-only.js';

test('a stream that ends before its answer is taken up again after its last event, when the server says', async () => {
  let told = 0;
  let back = 0;
  await using server = await scriptedServer((seen, response) => {
    const { method, message, headers } = seen;
    if (method === 'GET' && headers['last-event-id'] === undefined) return usual(seen, response);
    if (method !== 'GET' && message.method !== 'tools/call') return usual(seen, response, 's');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (method === 'GET') {
      back = performance.now();
      response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: { n: 1 } }, 'e-1'));
      response.end(event({ jsonrpc: '2.0', id: 1, result: { done: true } }, 'e-2'));
    } else {
      response.write('retry: 400\n\n');
      told = performance.now(); // before the end can be known there
      response.end(event({ jsonrpc: '2.0', method: 'notifications/progress', params: { n: 1 } }, 'e-1'));
    }
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  host.send({ id: 1, method: 'tools/call' });
  // What the server sends a second time is not told a second time.
  assert.equal((await host.next()).method, 'notifications/progress');
  assert.deepEqual((await host.next()).result, { done: true });
  const resumed = server.seen.find(({ headers }) => headers['last-event-id'] !== undefined);
  assert.equal(resumed?.headers['last-event-id'], 'e-1');
  assert.equal(resumed?.headers['mcp-session-id'], 's');
  assert.ok(back - told >= 390, 'not sooner than it was told to');
});

test('a stream that cannot be taken up again ends in an error for its request, and nothing is sent twice', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'tools/call') return usual(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', method: 'notifications/progress' }));
    setImmediate(() => response.destroy());
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  assert.equal((await host.ask({ id: 1, method: 'tools/call' })).method, 'notifications/progress');
  const { id, error } = await host.next();
  assert.equal(id, 1);
  assert.equal(error?.data?.['code'], 'answer_missing');
  assert.equal(server.seen.filter(({ message }) => message.method === 'tools/call').length, 1);
});

test('[Q-3.4][Q-3.5] the wire without sessions: headers from each message, nothing remembered, cancelled by ending the exchange', async () => {
  let closed = 0;
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'subscriptions/listen') return usualOfBoth(seen, response, 'never-used');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }));
    response.once('close', () => {
      closed += 1;
    });
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  await host.ask({ id: 1, method: 'server/discover', params: { _meta } });
  await host.ask({ id: 2, method: 'tools/call', params: { name: 'wétter', arguments: {}, _meta } });
  await host.ask({ id: 3, method: 'resources/read', params: { uri: 'file:///a', _meta } });
  assert.equal((await host.ask({ id: 4, method: 'subscriptions/listen', params: { _meta } })).id, undefined);
  host.send({ method: 'notifications/cancelled', params: { requestId: 4, _meta } });
  await host.ask({ id: 5, method: 'tools/list', params: { _meta } });
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
  const headers = server.seen.map(({ headers }) => [
    headers['mcp-protocol-version'],
    headers['mcp-method'],
    headers['mcp-name'],
    headers['mcp-session-id'],
  ]);
  assert.deepEqual(headers, [
    ['2026-07-28', 'server/discover', undefined, undefined],
    ['2026-07-28', 'tools/call', `=?base64?${Buffer.from('wétter').toString('base64')}?=`, undefined],
    ['2026-07-28', 'resources/read', 'file:///a', undefined],
    ['2026-07-28', 'subscriptions/listen', undefined, undefined],
    ['2026-07-28', 'tools/list', undefined, undefined],
  ]);
  assert.equal(closed, 1);
  await requestOf(server, () => true);
});

/** What a bridge in this process waits for, by a clock that does not wait, while what it follows is cut five times. */
async function pausesOf(
  server: ScriptedServer,
  cut: (advance: (ms: number) => void) => Promise<void>,
): Promise<number[]> {
  await using home = await bareHome();
  await using ports = await flowPorts({ folder: home.path });
  const pauses: number[] = [];
  const clock = { ...ports.clock, sleep: async (ms: number) => void pauses.push(ms) };
  const input = new PassThrough();
  await using wire = await ports.openWire();
  const ended = bridge(
    { ...ports, clock },
    {
      ...{ waitMs: 1_000, responseMs: 10_000, tell: () => undefined, policy: undefined },
      find: async () => {
        const wanted = { server: server.url, account: undefined };
        return { wanted, server: server.url, login: undefined, ask: undefined };
      },
      wire,
      host: new HostPipe(input, new PassThrough().resume()),
      signal: new AbortController().signal,
    },
  );
  const opening = { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  for (const one of [opening, { method: 'notifications/initialized' }]) {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`);
  }
  for (let count = 1; count <= 5; count += 1) {
    await cut(ports.advance);
    await until(() => pauses.length === count);
  }
  const before = [...pauses];
  input.end();
  await ended;
  return before;
}

const soon = (ms: number) => ms >= 1_000 && ms <= 1_250;

test('[Q-5.2] a stream of changes that was acknowledged is back within seconds, however often it is cut', async () => {
  await using server = await newerOnly(() => ({ result: {} }));
  const pauses = await pausesOf(server, async () => {
    await until(() => server.streams.length === 1);
    server.streams[0]?.response.destroy();
  });
  assert.ok(pauses.every(soon), `${pauses}`);
});

test('a standing stream that was open for a while is back within seconds, though it has brought nothing', async () => {
  const streams: ServerResponse[] = [];
  await using server = await scriptedServer((seen, response) => {
    if (seen.method !== 'GET') return usual(seen, response, 's');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
    streams.push(response);
  });
  const pauses = await pausesOf(server, async (advance) => {
    await until(() => streams.length > 0);
    advance(60_000);
    streams.pop()?.destroy();
  });
  assert.ok(pauses.every(soon), `${pauses}`);
});
