import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { StreamedBody } from '../../src/proxy/bodies.js';
import { BodyReader } from '../../src/relay/server-request.js';
import { ServerSocket } from '../../src/relay/server-socket.js';
import { startHttp } from '../support/http-server.js';
import { ask, mountOf, openStand } from './stand.js';

const crumbs = Buffer.from('1\r\nx\r\n'.repeat(50_000), 'latin1');

test('uploads in chunks of one byte do not keep the others waiting: each is read once in a turn [A-226]', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const reads: number[] = [];
  const connected = once(server, 'connection');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await connected) as [Socket];
  let turn = 0;
  const turns = setInterval(() => undefined, 1_000);
  const next = (): void => {
    turn += 1;
    if (!socket.destroyed) setImmediate(next);
  };
  const reader = new BodyReader({ kind: 'chunked' }, { data: () => true, end: () => undefined });
  let ended: () => void = () => undefined;
  const whole = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const watched = new ServerSocket(socket, {
    data: (piece) => {
      reads[turn] = (reads[turn] ?? 0) + 1;
      const progress = reader.push(piece);
      assert.ok(progress !== undefined);
      if (reader.parts > 512) watched.rest();
      if (progress.ended) ended();
    },
    ended: () => undefined,
    drained: () => undefined,
    closed: () => undefined,
  });
  next();
  caller.write(crumbs);
  caller.write('0\r\n\r\n');
  await whole;
  clearInterval(turns);
  assert.ok(Math.max(...reads.filter((count) => count !== undefined)) <= 2, `${reads}`);
  caller.destroy();
  socket.destroy();
  server.close();
});

test('what is kept of an upload for a second try is bounded however short its pieces are [A-226]', () => {
  const body = new StreamedBody(undefined, {
    ready: () => undefined,
    progress: () => undefined,
    goOn: () => undefined,
  });
  body.open();
  let pieces = 0;
  while (body.replayable) {
    body.data(Buffer.of(1));
    pieces += 1;
    assert.ok(pieces < 20_000, 'a million pieces are kept');
  }
});

test('of an upload that is not sent on yet only a little is taken [A-226]', () => {
  const nothing = () => undefined;
  const body = new StreamedBody(undefined, { ready: nothing, progress: nothing, goOn: nothing });
  assert.equal(body.data(Buffer.alloc(65_535)), true);
  assert.equal(body.data(Buffer.alloc(1)), false);
});

test('thirty uploads in chunks of one byte reach the server whole, and others are answered meanwhile [A-226]', async () => {
  const received: number[] = [];
  await using server = await startHttp((request, response) => {
    if (request.method === 'GET') return void response.end('quick');
    let size = 0;
    request.on('data', (piece: Buffer) => {
      size += piece.length;
    });
    request.on('end', () => {
      received.push(size);
      response.end();
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const callers = Array.from({ length: 30 }, () => connect(stand.port, '127.0.0.1'));
  for (const caller of callers) {
    caller.on('error', () => undefined).resume();
    caller.write(`POST ${stand.at()} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    caller.write(crumbs);
  }
  assert.equal((await ask(stand, stand.at())).body, 'quick');
  assert.deepEqual(received, [], 'no upload has ended yet');
  for (const caller of callers) caller.write('0\r\n\r\n');
  while (received.length < callers.length) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(
    received.every((size) => size === 50_000),
    `${received}`,
  );
  for (const caller of callers) caller.destroy();
});
