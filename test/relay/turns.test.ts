import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { refuse } from '../../src/proxy/refusal.js';
import { type RequestHandler, ServerConnection } from '../../src/relay/server-connection.js';
import { ask, mountOf, openStand, raw } from '../proxy/stand.js';
import { startHttp } from '../support/http-server.js';
import { Own, ours, Wire } from './two-servers.js';

const start = 'GET /m HTTP/1.1\r\nHost: h\r\n';

/** A connection that these were read from, looked at so many milliseconds later. */
async function later(ms: number, ...pieces: string[]): Promise<Wire> {
  const wire = new Wire({ allowHalfOpen: true });
  const connection = new ServerConnection(wire as unknown as Socket, new Own());
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
  new ServerConnection(wire as unknown as Socket, server);
  for (let at = 0; at < 20; at += 1) {
    wire.push(Buffer.from(`${start}\r\n`.repeat(1_000)));
    await turn();
  }
  assert.ok(server.taken.length < 2_000, `${server.taken.length} requests were taken`);
  assert.ok(wire.writableLength < 200_000);
  assert.ok(wire.readableLength < 1_000_000);
});

/** A connection whose requests are not Own's to answer. */
function connectionOf(take: RequestHandler['take']): { readonly wire: Wire; readonly connection: ServerConnection } {
  const wire = new Wire({ allowHalfOpen: true });
  const connection = new ServerConnection(wire as unknown as Socket, { now: 0, ending: false, take });
  return { wire, connection };
}

test('a caller that ends in the middle of a head is told so, and one that has asked nothing is told nothing [A-217]', async () => {
  for (const [sent, told] of [
    ['', /^$/],
    [start, /^HTTP\/1\.1 400 /],
  ] as const) {
    const { wire } = connectionOf(() => assert.fail('this is no request'));
    if (sent !== '') wire.push(Buffer.from(sent));
    wire.push(null);
    await turn();
    await turn();
    assert.match(wire.written, told);
    assert.ok(wire.writableEnded);
  }
});

test('what nobody wants any more of a body is waited for a minute, and is not waited for behind the end [A-226]', async () => {
  const nobody = { data: () => true, end: () => undefined };
  const { wire, connection } = connectionOf((to, _head, answer) => {
    to.readBody({ kind: 'length', length: 100 }, nobody);
    refuse(answer, { status: 400, code: 'x', message: 'x' }, 'r');
    return undefined;
  });
  wire.push(Buffer.from(`${start}\r\nhalf`));
  await turn();
  assert.match(wire.written, /^HTTP\/1\.1 400 /);
  connection.look(60_000);
  assert.equal(wire.destroyed, false);
  connection.look(60_001);
  assert.equal(wire.destroyed, true);
});

test('behind the last answer a mebibyte is read and dropped, for two seconds [A-226]', async () => {
  const { wire, connection } = connectionOf(() => assert.fail('this is no request'));
  wire.push(Buffer.from('no request\r\n\r\n'));
  await turn();
  assert.match(wire.written, /^HTTP\/1\.1 400 /);
  for (let pushed = 0; pushed < 64; pushed += 1) {
    wire.push(Buffer.alloc(65_536));
    await turn();
  }
  assert.ok(wire.readableLength > 2_000_000, `${wire.readableLength} bytes were left unread`);
  const now = performance.now();
  connection.look(now);
  connection.look(now + 1_999);
  assert.equal(wire.destroyed, false);
  connection.look(now + 2_002);
  assert.equal(wire.destroyed, true);
});

test('who has not read the last answer yet has five minutes for it, not the two seconds behind it [A-226]', async () => {
  class Stuck extends Wire {
    override _write(): void {
      // nothing is ever taken
    }
  }
  const wire = new Stuck({ allowHalfOpen: true });
  const connection = new ServerConnection(wire as unknown as Socket, new Own());
  wire.push(Buffer.from('no request\r\n\r\n'));
  await turn();
  const now = performance.now();
  connection.look(now);
  connection.look(now + 299_000);
  assert.equal(wire.destroyed, false, 'cut off before it was read');
  connection.look(now + 301_000);
  assert.equal(wire.destroyed, true);
});

test('an answer that has begun is broken off where it cannot go on: no other one is put into it [A-225]', async () => {
  const { wire } = connectionOf((_to, _head, answer) => {
    answer.head({ status: 200, headers: '', length: undefined }, false);
    answer.data(Buffer.from('half'));
    refuse(answer, { status: 502, code: 'x', message: 'x' }, 'r');
    return undefined;
  });
  wire.push(Buffer.from(`${start}\r\n`));
  await turn();
  assert.ok(wire.destroyed);
  assert.match(wire.written, /^HTTP\/1\.1 200 [\s\S]*half\r\n$/);
});

test('a body in crumbs gives way to the others after each piece, and a pause outlasts that [A-226]', async () => {
  const crumbs = Buffer.from('1\r\nx\r\n'.repeat(1_000));
  for (const goOn of [true, false]) {
    let given = 0;
    const data = (): boolean => {
      given += 1;
      return goOn;
    };
    const underWay = { gone: () => undefined, drained: () => undefined, broken: () => undefined };
    const { wire } = connectionOf((to) => {
      to.readBody({ kind: 'chunked' }, { data, end: () => undefined });
      return underWay;
    });
    wire.push(Buffer.from(`${start}\r\n`));
    await turn();
    wire.push(Buffer.from(crumbs));
    await new Promise((resolve) => process.nextTick(resolve));
    assert.deepEqual([given > 0, wire.isPaused()], [true, true], 'it rests');
    await turn();
    await turn();
    assert.equal(wire.isPaused(), !goOn, goOn ? 'it goes on' : 'it is still held');
  }
});

test('the limits of a head are as before: 16 KiB, an empty line in front of it, no more', async () => {
  const long = (size: number) => `${start}X: ${'a'.repeat(size - start.length - 7)}\r\n\r\n`;
  assert.equal((await ours([long(16_384)])).taken.length, 1);
  assert.match((await ours([start, `X: ${'a'.repeat(20_000)}`])).written, /^HTTP\/1\.1 431 /, 'without an end');
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
  // The very head that was judged last on a connection, while the session began on another one.
  await using other = await openStand(mounts);
  const caller = connect({ host: '127.0.0.1', port: other.port }).setEncoding('latin1');
  const again = `GET ${other.at('', 'a')} HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\nMcp-Session-Id: of-b\r\n\r\n`;
  caller.write(again);
  assert.match(String((await once(caller, 'data'))[0]), /^HTTP\/1\.1 200 /);
  await ask(other, other.at('', 'b'));
  caller.write(again);
  assert.match(String((await once(caller, 'data'))[0]), /^HTTP\/1\.1 400 /);
  caller.destroy();
});
