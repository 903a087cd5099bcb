import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { startTcp } from '../support/http-server.js';
import { bareHome, event, requestOf, scriptedServer, startBridge, usual } from './host.js';

const calls = (count: number): { id: number; method: string; params: object }[] =>
  Array.from({ length: count }, (_, id) => ({ id: id + 1, method: 'tools/call', params: {} }));

test('streams that stay open do not use up the connections: requests go on beside a hundred of them', async () => {
  const open: { id: unknown; response: ServerResponse }[] = [];
  await using server = await scriptedServer((seen, response) => {
    const { method, id } = seen.message;
    if (method !== 'tools/call') return usual(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { id } }));
    open.push({ id, response });
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  for (const call of calls(100)) host.send(call);
  for (let count = 0; count < 100; count += 1) assert.equal((await host.next()).method, 'notifications/message');
  assert.ok((await host.ask({ id: 'ping', method: 'ping' })).result !== undefined);
  assert.equal(open.length, 100);
  for (const { id, response } of open) response.end(event({ jsonrpc: '2.0', id, result: {} }));
  for (let count = 0; count < 100; count += 1) assert.ok((await host.next()).result !== undefined);
});

test('a server that takes connections and never answers gets 64 of them, and the rest wait no longer than is said [A-260]', async () => {
  let asked = 0;
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method === 'tools/call') asked += 1;
    else usual(seen, response);
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url, '--answer-timeout', '5');
  await host.open();
  for (const call of calls(200)) host.send(call);
  // Has connections of its own, and comes once the bridge has read all that stands before it.
  host.send({ method: 'notifications/last' });
  await requestOf(server, ({ message }) => message.method === 'notifications/last');
  while (asked < 64) await later(5);
  assert.equal(asked, 64);
  assert.ok(server.connections.opened <= 64 + 8, `${server.connections.opened} connections`);
  for (let count = 0; count < 200; count += 1) {
    assert.equal((await host.next()).error?.data?.['code'], 'timed_out');
  }
  assert.ok((await host.ask({ id: 'ping', method: 'ping' })).result !== undefined, 'the bridge lives on');
});

test('interim answers, not asked for, are left out up to ten; a flood of them is an error, and the bridge lives on [A-260]', async () => {
  const answer = (id: unknown): string => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: {} });
    return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  await using server = await startTcp((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      const { id, params } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
      const interim = `HTTP/1.1 ${params?.status ?? 100} Early\r\n\r\n`.repeat(params?.count ?? 1);
      if (id === undefined) socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n');
      else socket.write(interim + answer(id));
    });
  });
  await using home = await bareHome();
  await using host = startBridge(home, `${server.origin}/mcp`);
  for (const status of [100, 103]) {
    const few = await host.ask({ id: `${status}-10`, method: 'tools/call', params: { status, count: 10 } });
    assert.ok(few.result !== undefined, JSON.stringify(few));
    const flood = await host.ask({ id: `${status}-f`, method: 'tools/call', params: { status, count: 100_000 } });
    assert.equal(flood.error?.data?.['code'], 'network_failed');
    assert.match(String(flood.error?.message), /interim responses \(1xx\) without end/);
  }
  assert.ok((await host.ask({ id: 'last', method: 'ping' })).result !== undefined);
});
