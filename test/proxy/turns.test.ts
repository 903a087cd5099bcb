import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CallerConnection } from '../../src/system/proxy/caller/connection.js';
import { startHttp } from '../support/http-server.js';
import { mountOf, openStand, raw } from './stand.js';
import { Own, ours, Wire } from './two-servers.js';

const start = 'GET /m HTTP/1.1\r\nHost: h\r\n';

/** A connection that these were read from, looked at so many milliseconds later. */
async function later(ms: number, ...pieces: string[]): Promise<Wire> {
  const wire = new Wire({ allowHalfOpen: true });
  const connection = new CallerConnection(wire as unknown as Socket, new Own());
  for (const piece of pieces) {
    wire.push(Buffer.from(piece));
    await turn();
  }
  connection.look(ms);
  await turn();
  return wire;
}

test('a head has ten seconds, an idle connection all the time that it wants [A-226]', async () => {
  const slow = await later(10_001, start);
  assert.match(slow.written, /^HTTP\/1\.1 408 [\s\S]*Connection: close\r\n/);
  assert.ok(slow.writableEnded);
  const inTime = await later(9_999, start);
  assert.deepEqual([inTime.written, inTime.writableEnded], ['', false]);
  const silent = await later(10 ** 9);
  assert.deepEqual([silent.written, silent.destroyed], ['', false], 'a spare one, for a request to come');
  const idle = await later(10 ** 9, `${start}\r\n`);
  assert.match(idle.written, /^HTTP\/1\.1 200 /);
  assert.deepEqual([idle.writableEnded, idle.destroyed], [false, false]);
  const second = await later(10_001, `${start}\r\n`, start);
  assert.match(second.written, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 408 /);
});

test('who asks again and again and reads nothing is not answered without end [A-226]', async () => {
  class Stuck extends Wire {
    override _write(): void {
      // nothing is ever taken
    }
  }
  const wire = new Stuck({ allowHalfOpen: true });
  const server = new Own();
  new CallerConnection(wire as unknown as Socket, server);
  for (let at = 0; at < 20; at += 1) {
    wire.push(Buffer.from(`${start}\r\n`.repeat(1_000)));
    await turn();
  }
  assert.ok(server.taken.length < 2_000, `${server.taken.length} requests were taken`);
  assert.ok(wire.writableLength < 200_000);
  assert.ok(wire.readableLength < 1_000_000);
});

test('the limits of a head are as before: 16 KiB, an empty line in front of it, no more', async () => {
  const long = (size: number) => `${start}X: ${'a'.repeat(size - start.length - 7)}\r\n\r\n`;
  assert.equal((await ours([long(16_384)])).taken.length, 1);
  for (const pieces of [[long(16_385)], [long(40_000)], [...(long(16_385).match(/[\s\S]{1,1000}/g) ?? [])]]) {
    const made = await ours(pieces);
    assert.deepEqual([made.taken.length, made.closed], [0, true]);
    assert.match(made.written, /^HTTP\/1\.1 431 /);
  }
  assert.equal((await ours([`\r\n${start}\r\n`])).taken.length, 1);
  assert.equal((await ours(['\r', '\n', `${start}\r\n`])).taken.length, 1);
  assert.match((await ours([`\r\n\r\n${start}\r\n`])).written, /^HTTP\/1\.1 400 /);
});

test('the same head again is judged by what has happened since [A-228]', async () => {
  await using a = await startHttp((_, response) => void response.end('a'));
  await using b = await startHttp((_, response) => {
    response.setHeader('mcp-session-id', 'of-b');
    response.end('b');
  });
  const mounts = [mountOf(`${a.origin}/mcp`, { name: 'a' }), mountOf(`${b.origin}/mcp`, { name: 'b' })];
  await using stand = await openStand(mounts);
  const get = (mount: string, ...headers: string[]) =>
    `${[`GET ${stand.at('', mount)} HTTP/1.1`, `Host: 127.0.0.1:${stand.port}`, ...headers].join('\r\n')}\r\n\r\n`;
  const guessed = get('a', 'Mcp-Session-Id: of-b');
  const all = await raw(stand.port, guessed + guessed + get('b') + guessed + get('b', 'Connection: close'));
  assert.deepEqual(
    [...all.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '200', '200', '400', '200'],
  );
  assert.match(all, /session_of_other_server/);
});
