import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { allClosed, startTcp } from '../support/http-server.js';
import { ask, Collector, codesOf, startConnections } from './start-connections.js';

const request = { method: 'GET', target: '/', headers: [], body: null };

/** A server that answers each request with the next of these texts; after an undefined one it closes. */
async function scripted(answer: (count: number, socket: Socket) => string | undefined) {
  let count = 0;
  const server = await startTcp((socket) => {
    socket.on('data', () => {
      count += 1;
      const text = answer(count, socket);
      if (text === undefined) socket.destroy();
      else socket.write(Buffer.from(text, 'latin1'));
    });
  });
  return server;
}

test('answers of every kind end where they say, and what allows it shares a connection', async () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const answers: readonly (readonly [method: string, text: string, body: string])[] = [
    ['GET', `${head}Content-Length: 2\r\n\r\nok`, 'ok'],
    ['GET', `${head}Content-Length: 0\r\n\r\n`, ''],
    ['GET', `${head}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n`, 'ok!'],
    ['HEAD', `${head}Content-Length: 2\r\n\r\n`, ''],
    ['HEAD', `${head}Transfer-Encoding: chunked\r\n\r\n`, ''],
    ['GET', 'HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n', ''],
    ['GET', 'HTTP/1.1 304 No\r\nContent-Length: 2\r\n\r\n', ''],
    [
      'GET',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${head}Content-Length: 2\r\n\r\nok`,
      'ok',
    ],
    ['GET', `${head}Connection: close\r\nContent-Length: 2\r\n\r\nok`, 'ok'],
  ];
  await using server = await scripted((count) => answers[count - 1]?.[1]);
  await using stand = startConnections(server.origin);
  for (const [method, text, body] of answers) {
    const told = await ask(stand, { method });
    assert.deepEqual([told.end, told.body], ['end', body], text);
  }
  assert.equal(server.connections.opened, 1);
  await allClosed(server);
});

test('the next request may be sent from within the end of the one before', async () => {
  await using server = await scripted(() => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  await using stand = startConnections(server.origin);
  const bodies: string[] = [];
  let left = 20;
  await new Promise<void>((resolve, reject) => {
    const next = async (): Promise<void> => {
      const connection = await stand.borrow();
      const taker = new Collector();
      const end = taker.end.bind(taker);
      Object.assign(taker, {
        end: () => {
          left -= 1;
          if (left > 0) next().catch(reject);
          end();
        },
      });
      connection.send(request, taker);
      bodies.push((await taker.told).body);
      if (bodies.length === 20) resolve();
    };
    next().catch(reject);
  });
  assert.ok(bodies.every((body) => body === 'ok'));
  assert.equal(server.connections.opened, 1);
});

test('an answer that ends before its end is a failure, and never a short answer', async () => {
  const cut = [
    'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel',
    'HTTP/1.1 200 OK\r\nContent-Le',
    'HTTP/1.1 100 Continue\r\n\r\n',
  ];
  for (const text of cut) {
    await using server = await startTcp((socket) => void socket.once('data', () => socket.end(text)));
    await using stand = startConnections(server.origin);
    const { end, error, unanswered } = await ask(stand);
    assert.deepEqual([end, ...codesOf(error), unanswered], ['failed', 'network_failed', 'answer_cut_off', false]);
  }
  const open = 'HTTP/1.1 200 OK\r\n\r\nas long as it lasts';
  await using whole = await startTcp((socket) => void socket.once('data', () => socket.end(open)));
  await using first = startConnections(whole.origin);
  const told = await ask(first);
  assert.deepEqual([told.end, told.body], ['end', 'as long as it lasts']);
  await using reset = await startTcp((socket) => {
    socket.once('data', () => socket.write(open, () => setTimeout(() => socket.resetAndDestroy(), 20)));
  });
  await using second = startConnections(reset.origin);
  const broken = await ask(second);
  assert.deepEqual([broken.end, ...codesOf(broken.error)], ['failed', 'network_failed', 'ECONNRESET']);
});

test('an answer whose end is said twice, or oddly, reaches nobody, and its connection is not used again [A-217]', async () => {
  const framings = [
    'Content-Length: 2\r\nContent-Length: 2',
    'Content-Length: 2\r\nContent-Length: 20',
    'Content-Length: 2\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Content-Length: +2',
    'Content-Length: 2\t',
    'Content-Length : 2',
  ];
  await using server = await scripted(
    (count) => `HTTP/1.1 200 OK\r\n${framings[count - 1]}\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  );
  await using stand = startConnections(server.origin);
  for (const framing of framings) {
    const { end, body, error } = await ask(stand);
    assert.deepEqual([end, body, codesOf(error)[0]], ['failed', '', 'network_failed'], framing);
  }
  assert.equal(server.connections.opened, framings.length);
});

test('bytes that belong to no answer end the connection, and reach no other request', async () => {
  const ok = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: 2\r\n\r\nok';
  const planted = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil';
  for (const text of [ok + planted, `${ok}\r\n`, `HTTP/1.1 304 No\r\nContent-Length: 2\r\n\r\nok`]) {
    await using server = await scripted((count) => (count === 1 ? text : ok));
    await using stand = startConnections(server.origin);
    assert.equal((await ask(stand)).end, 'end');
    assert.equal((await ask(stand)).body, 'ok', text);
    assert.equal(server.connections.opened, 2, text);
  }
  let socket: Socket | undefined;
  await using server = await scripted((_, one) => {
    socket = one;
    return ok;
  });
  await using stand = startConnections(server.origin);
  await ask(stand);
  socket?.write(planted);
  await allClosed(server);
  assert.equal((await ask(stand)).body, 'ok');
  assert.equal(server.connections.opened, 2);
});

test('a connection that dies before any byte of an answer is told apart, where it was an old one', async () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  await using server = await scripted((count) => (count === 1 ? ok : undefined));
  await using stand = startConnections(server.origin);
  assert.equal((await ask(stand)).body, 'ok');
  assert.deepEqual([(await ask(stand)).unanswered, (await ask(stand)).unanswered], [true, false]);
  await using other = await scripted((count, socket) => {
    if (count === 2) setImmediate(() => socket.destroy());
    return count === 1 ? ok : 'HTTP/1.1 100 Continue\r\n\r\n';
  });
  await using second = startConnections(other.origin);
  await ask(second);
  const { end, unanswered } = await ask(second);
  assert.deepEqual([end, unanswered], ['failed', false], 'an interim answer is one');
});

test('heads and interim answers without end, and what is no HTTP, are refused at once [A-260]', async () => {
  const long = 'a'.repeat(20_000);
  const cases: readonly (readonly [string, readonly (string | undefined)[]])[] = [
    [`HTTP/1.1 200 OK\r\nA: ${long}\r\n\r\n`, ['too_large', undefined]],
    [`HTTP/1.1 200 OK\r\nA: ${long}`, ['too_large', undefined]],
    [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${long}`, ['network_failed', 'not_http']],
    ['HTTP/1.1 103 Hints\r\n\r\n'.repeat(11), ['network_failed', 'informational_flood']],
    ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(11), ['network_failed', 'informational_flood']],
    ['HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n', ['network_failed', 'not_http']],
    ['SSH-2.0-OpenSSH\r\n', ['network_failed', 'not_http']],
    ['HTTP/1.1 200 OK\n', ['network_failed', 'not_http']],
    ['\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', ['network_failed', 'not_http']],
  ];
  for (const [text, codes] of cases) {
    await using server = await scripted(() => text);
    await using stand = startConnections(server.origin);
    const told = await ask(stand);
    assert.deepEqual([told.end, ...codesOf(told.error)], ['failed', ...codes], text.slice(0, 60));
    await allClosed(server);
  }
  await using server = await scripted(
    () => `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
  );
  await using stand = startConnections(server.origin);
  for (let round = 0; round < 3; round += 1) assert.equal((await ask(stand)).body, 'ok');
  assert.equal(server.connections.opened, 1, 'ten, not asked for, do no harm');
});
