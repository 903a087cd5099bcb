import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startAuthority } from '../support/certificates.js';
import { allClosed, startHttp, startTcp } from '../support/http-server.js';
import { ask, Collector, startConnections } from './start-connections.js';

const request = { method: 'GET', target: '/', headers: [], body: null };
const total = 32 * 1024 * 1024;
const authority = await startAuthority();

/** Writes `total` bytes as fast as they are taken; says how many were. */
function pour(response: ServerResponse): { written: number } {
  const state = { written: 0 };
  const piece = Buffer.alloc(65_536, 'x');
  const more = (): void => {
    while (state.written < total) {
      state.written += piece.length;
      if (!response.write(piece)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
  return state;
}

for (const [secure, length] of [
  [false, false],
  [true, true],
] as const) {
  const name = `${secure ? 'TLS' : 'TCP'}, ${length ? 'of announced length' : 'chunked'}`;
  test(`who wants no more slows the server down, and gets the rest when it wants more: ${name} [A-225]`, async () => {
    const states: { written: number }[] = [];
    const tls = secure ? await authority.issue('IP:127.0.0.1') : undefined;
    await using server = await startHttp((_, response) => {
      response.writeHead(200, length ? { 'content-length': total } : {});
      states.push(pour(response));
    }, tls);
    await using stand = startConnections(server.origin, { caFile: authority.caFile });
    const connection = await stand.borrow();
    let isOpen = false;
    const taker = new Collector(() => !isOpen);
    connection.send(request, taker);
    const state = (): number => states[0]?.written ?? 0;
    let previous = -1;
    for (let still = 0; still < 200; still = state() === previous && previous > 0 ? still + 1 : 0) {
      previous = state();
      await nextTurn();
    }
    assert.ok(state() < total / 2, `${state()} bytes left the server unread`);
    assert.ok(taker.bytes < 1_000_000, `${taker.bytes} bytes came though nothing more was wanted`);
    isOpen = true;
    connection.resume(taker);
    assert.equal((await taker.told).end, 'end');
    assert.equal(taker.bytes, total);
    assert.ok(connection.usable);
  });
}

test('a pause and its end may come from within, and from outside at any time', async () => {
  await using server = await startHttp(
    (_, response) => void pour(response.writeHead(200, { 'content-length': total })),
  );
  await using stand = startConnections(server.origin);
  const connection = await stand.borrow();
  let pieces = 0;
  const taker: Collector = new Collector(() => {
    pieces += 1;
    if (pieces % 3 === 0) connection.pause(taker);
    if (pieces % 6 === 0) connection.resume(taker);
    else if (pieces % 3 === 0) setImmediate(() => connection.resume(taker));
    else if (pieces % 7 === 0) setImmediate(() => connection.resume(taker));
    return pieces % 3 !== 0 && pieces % 7 === 0;
  });
  connection.pause(taker);
  connection.send(request, taker);
  connection.pause(taker);
  setImmediate(() => connection.resume(taker));
  assert.equal((await taker.told).end, 'end');
  assert.equal(taker.bytes, total);
});

test('the memory of a piece stays as it is for whom it was too much, whatever comes next on that connection', async () => {
  let count = 0;
  await using server = await startTcp((socket) => {
    socket.on('data', () => {
      count += 1;
      const text = String(count).repeat(1_000);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${text}`);
    });
  });
  await using stand = startConnections(server.origin);
  const kept: Uint8Array[] = [];
  for (let round = 1; round <= 3; round += 1) {
    const connection = await stand.borrow();
    const taker = new Collector((chunk) => kept.push(chunk) > 0);
    connection.send(request, taker);
    assert.equal((await taker.told).body, String(round).repeat(1_000));
  }
  assert.deepEqual(
    kept.map((chunk) => Buffer.from(chunk).toString()),
    [1, 2, 3].map((one) => String(one).repeat(1_000)),
  );
  assert.equal(server.connections.opened, 1);
});

test('a connection that its server promised to keep no longer than a second is not used again', async () => {
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { 'keep-alive': 'timeout=1', 'content-length': 2 }).end('ok');
  });
  await using stand = startConnections(server.origin);
  await ask(stand);
  await ask(stand);
  assert.equal(server.connections.opened, 2);
});

test('a connection that nobody uses again is closed, though its server leaves it open [A-260]', async () => {
  await using server = await startTcp((socket) => {
    const answer = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2\r\nContent-Length: 2\r\n\r\nok';
    socket.on('data', () => socket.write(answer));
  });
  await using stand = startConnections(server.origin);
  await ask(stand);
  await ask(stand);
  assert.equal(server.connections.opened, 1);
  await allClosed(server);
});

test('a certificate that is not for the server ends the request before it is sent', async () => {
  const tls = await authority.issue('DNS:elsewhere.example');
  await using server = await startHttp((_, response) => void response.end('ok'), tls);
  await using stand = startConnections(server.origin, { caFile: authority.caFile });
  const { end, error } = await ask(stand);
  assert.deepEqual([end, error instanceof Error && 'code' in error && error.code], ['failed', 'tls_failed']);
  assert.deepEqual(server.requests, []);
});

test.after(() => authority[Symbol.asyncDispose]());
