import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutgoingRequest } from '../../src/relay/request-writer.js';
import { startTcp } from '../support/http-server.js';
import { ask, Collector, codesOf, startConnections, TestBody } from './start-connections.js';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A server that answers each request when all of it is there, and keeps what came. */
async function listener() {
  const seen: string[] = [];
  const server = await startTcp((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
      const [head = '', body = ''] = text.split(/(?<=\r\n\r\n)/s, 2);
      const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
      const isWhole = head.includes('chunked') ? text.endsWith('\r\n0\r\n\r\n') : body.length === length;
      if (!head.endsWith('\r\n\r\n') || !isWhole) return;
      seen.push(text);
      text = '';
      socket.write(ok);
    });
  });
  return { server, seen };
}

test('a request says once and plainly where its body ends [A-217]', async () => {
  const { server, seen } = await listener();
  await using _server = server;
  await using stand = startConnections(server.origin);
  const headers = ['accept', 'a/b'];
  const start = (line: string): string =>
    `${line} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\naccept: a/b\r\n`;
  const cases: readonly (readonly [Partial<OutgoingRequest>, string])[] = [
    [{ target: '/a?b=c' }, `${start('GET /a?b=c')}\r\n`],
    [{ method: 'DELETE' }, `${start('DELETE /')}\r\n`],
    [{ method: 'POST' }, `${start('POST /')}content-length: 0\r\n\r\n`],
    [
      { method: 'POST', body: Buffer.from('\xff ten bytes!', 'latin1') },
      `${start('POST /')}content-length: 12\r\n\r\n\xff ten bytes!`,
    ],
    [
      { method: 'PUT', body: Buffer.from(`${'x'.repeat(19_999)}!`) },
      `${start('PUT /')}content-length: 20000\r\n\r\n${'x'.repeat(19_999)}!`,
    ],
  ];
  for (const [request, expected] of cases) {
    const told = await ask(stand, { headers, ...request });
    assert.deepEqual([told.end, told.body], ['end', 'ok']);
    assert.equal(seen.pop(), expected);
  }
  for (const [length, expected] of [
    [undefined, 'transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n12\r\nand so on, and end\r\n0\r\n\r\n'],
    [12, 'content-length: 12\r\n\r\nabcand so on'],
  ] as const) {
    const body = new TestBody(length);
    const connection = await stand.borrow();
    const taker = new Collector();
    connection.send({ method: 'POST', target: '/', headers, body }, taker);
    const sink = await body.started;
    sink.bodyPiece(Buffer.from('abc'));
    sink.bodyPiece(Buffer.alloc(0));
    sink.bodyPiece(Buffer.from(length === undefined ? 'and so on, and end' : 'and so on'));
    sink.bodyEnd();
    assert.equal((await taker.told).body, 'ok');
    assert.equal(seen.pop(), `${start('POST /')}${expected}`);
  }
  assert.equal(server.connections.opened, 1, 'all of them on one connection');
});

test('what is no one request never leaves, whatever it was made of [A-221]', async () => {
  const { server, seen } = await listener();
  await using _server = server;
  await using stand = startConnections(server.origin);
  const bad: readonly Partial<OutgoingRequest>[] = [
    { headers: ['a', 'b\r\nx: y'] },
    { headers: ['a', 'b\nx: y'] },
    { headers: ['a', '\u010d\u010ax: y'] },
    { headers: ['a', 'b\0'] },
    { headers: ['a b', 'c'] },
    { headers: ['', 'c'] },
    { target: '/a b' },
    { target: '/\r\n\r\nGET /' },
    { target: '' },
    { method: 'GET /x HTTP/1.1\r\nA: b\r\n\r\nGET' },
    { method: '' },
  ];
  for (const request of bad) {
    const { end, error } = await ask(stand, request);
    assert.equal(end, 'failed', JSON.stringify(request));
    assert.ok(error instanceof TypeError);
  }
  assert.deepEqual(seen, []);
});

test('a body is sent no faster than it is taken, and as long as it said it is', async () => {
  let socket: Socket | undefined;
  await using server = await startTcp((one) => {
    socket = one.pause();
  });
  await using stand = startConnections(server.origin);
  const connection = await stand.borrow();
  const body = new TestBody();
  connection.send({ method: 'POST', target: '/', headers: [], body }, new Collector());
  const sink = await body.started;
  const piece = Buffer.alloc(262_144);
  let given = 0;
  while (sink.bodyPiece(piece)) given += piece.length;
  assert.ok(given < 64 * 1024 * 1024, `${given} bytes were taken that nobody reads`);
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  assert.equal(body.resumed, 0);
  const resumed = new Promise<void>((resolve) => {
    body.onResume = resolve;
  });
  socket?.resume();
  await resumed;
  await connection[Symbol.asyncDispose]();
  assert.deepEqual([body.resumed, body.stopped], [1, 1]);
});

test('a body that is longer or shorter than was said, or breaks off, never looks whole to the server', async () => {
  const seen: string[] = [];
  await using server = await startTcp((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    socket.on('close', () => void seen.push(text.slice(text.indexOf('\r\n\r\n') + 4)));
  });
  await using stand = startConnections(server.origin);
  const broken = new Error('the caller is gone');
  for (const [length, pieces, error] of [
    [5, ['abc', 'def'], 'header_refused'],
    [5, ['abc'], 'header_refused'],
    [undefined, ['abc'], broken],
  ] as const) {
    const connection = await stand.borrow();
    const body = new TestBody(length);
    const taker = new Collector();
    connection.send({ method: 'POST', target: '/', headers: [], body }, taker);
    const sink = await body.started;
    for (const piece of pieces) sink.bodyPiece(Buffer.from(piece));
    if (error === broken) sink.bodyFailed(broken);
    else sink.bodyEnd();
    const told = await taker.told;
    if (error === broken) assert.equal(told.error, broken);
    else assert.equal(codesOf(told.error)[0], error);
    assert.equal(body.stopped, 1);
  }
  while (seen.length < 3) await nextTurn();
  assert.ok(
    seen.every((text) => text === '' || text === 'abc' || text === '3\r\nabc\r\n'),
    JSON.stringify(seen),
  );
});

test('an answer that does not wait for the whole body is passed on, and its connection not used again', async () => {
  await using server = await startTcp((socket) => {
    socket.once('data', () => void socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno'));
  });
  await using stand = startConnections(server.origin);
  const connection = await stand.borrow();
  const body = new TestBody();
  const taker = new Collector();
  connection.send({ method: 'POST', target: '/', headers: [], body }, taker);
  const sink = await body.started;
  sink.bodyPiece(Buffer.from('abc'));
  const told = await taker.told;
  assert.deepEqual([told.head?.status, told.body, told.end, body.stopped], [413, 'no', 'end', 1]);
  assert.equal(connection.usable, false);
  assert.ok(sink.bodyPiece(Buffer.from('abc')), 'what comes late goes nowhere');
});

test('a request that is cut ends with its connection, while it is opened, too', async () => {
  const closed: Promise<unknown>[] = [];
  await using server = await startTcp((socket) => void closed.push(once(socket.resume(), 'close')));
  await using stand = startConnections(server.origin);
  const taker = new Collector();
  const request = { method: 'GET', target: '/', headers: [], body: null };
  const early = await stand.borrow();
  early.send(request, taker);
  early.cut(taker);
  const connection = await stand.borrow();
  connection.send(request, taker);
  while (closed.length === 0) await nextTurn();
  connection.cut(new Collector());
  assert.equal(connection.usable, false);
  connection.cut(taker);
  await Promise.all(closed);
  const another = await stand.borrow();
  const other = new Collector();
  another.send(request, other);
  await stand[Symbol.asyncDispose]();
  assert.equal(codesOf((await other.told).error)[0], 'interrupted');
});
