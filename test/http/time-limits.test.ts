import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp, startTcp } from '../support/http-server.js';

const within = async <T>(work: Promise<T>): Promise<T> => {
  const timer = new AbortController();
  const late = once(timer.signal, 'abort').then(() => assert.fail('it hangs'));
  const clock = setTimeout(() => timer.abort(), 15_000);
  return Promise.race([work, late]).finally(() => clearTimeout(clock));
};

test('a byte now and then does not stretch the limit of the whole request [A-254] [A-45] [A-120]', async () => {
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { 'content-length': 100_000 });
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
  });
  await using http = testHttp();
  const response = await send(http, server.origin, { limits: { totalMs: 1500 } });
  const failure = await within(failureOf(textOf(response), 'timed_out'));
  assert.equal(failure.exit, 6);
});

test('a byte of the headers now and then does not stretch their limit [A-254]', async () => {
  await using server = await startTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    const drip = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(drip)).resume();
  });
  await using http = testHttp();
  await within(failureOf(send(http, server.origin, { limits: { headersMs: 200 } }), 'timed_out'));
});

test('a server that never answers is given up, and its connection closed [A-260]', async () => {
  await using server = await startTcp((socket) => void socket.resume());
  await using http = testHttp();
  for (const limits of [{ headersMs: 100 }, { totalMs: 100 }]) {
    const failure = await within(failureOf(send(http, server.origin, { limits }), 'timed_out'));
    assert.match(failure.message, /127\.0\.0\.1/);
  }
  assert.equal(server.connections.opened, 2);
});

test('limits that setTimeout would misread do not end a request at once', async () => {
  await using server = await startHttp((_, response) => response.end('ok'));
  await using http = testHttp();
  const limits = { totalMs: 2 ** 31, headersMs: Number.POSITIVE_INFINITY };
  assert.equal(await textOf(await send(http, server.origin, { limits })), 'ok');
});

test('interim answers are ignored up to ten, a flood of them is a failure [A-260] [A-133]', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
  const end = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  let count = 0;
  await using server = await startTcp((socket) => {
    socket.once('data', () => socket.write(hints.repeat(count) + end));
  });
  await using http = testHttp();
  count = 10;
  const response = await send(http, server.origin);
  assert.equal(response.status, 200);
  assert.ok(!response.headers.some(([name]) => name === 'link'));
  assert.equal(await textOf(response), 'ok');
  await using second = testHttp();
  count = 1000;
  await failureOf(send(second, server.origin), 'network_failed');
});

test('nothing is remembered between requests: no cookie comes back [A-133]', async () => {
  const cookies: (string | undefined)[] = [];
  await using server = await startHttp((request, response) => {
    cookies.push(request.headers.cookie);
    response.writeHead(200, { 'set-cookie': 'a=1', trailer: 'x-t' });
    response.write('o');
    response.addTrailers({ 'x-t': 'y' });
    response.end('k');
  });
  await using http = testHttp();
  for (let count = 0; count < 2; count += 1) {
    const response = await send(http, server.origin);
    assert.equal(await textOf(response), 'ok');
    assert.ok(!response.headers.some(([name]) => name === 'x-t'));
  }
  assert.deepEqual(cookies, [undefined, undefined]);
});

test('at most eight connections to an origin carry requests that have an end [A-260]', async () => {
  const held: (() => void)[] = [];
  let full: () => void = () => undefined;
  const eight = new Promise<void>((resolve) => {
    full = resolve;
  });
  await using server = await startHttp((_, response) => {
    held.push(() => response.end('ok'));
    if (held.length === 8) full();
    if (held.length > 8) response.end('ok');
  });
  await using http = testHttp();
  const all = Array.from({ length: 20 }, () => send(http, server.origin).then(textOf));
  await eight;
  assert.equal(server.connections.opened, 8);
  for (const release of held) release();
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['ok']));
  assert.equal(server.connections.opened, 8);
  assert.equal(server.requests.length, 20);
});

test('look-up and connection have 5 s each, however long the request may take [A-260] [A-261]', async () => {
  await using silent = await startTcp((socket) => void socket.resume());
  await using http = testHttp({}, { resolve: () => new Promise(() => undefined) });
  const patient = { limits: { totalMs: null, headersMs: 60_000 } };
  const [lookup, handshake] = await within(
    Promise.all([
      failureOf(send(http, 'https://silent.example/', patient), 'timed_out'),
      failureOf(send(http, silent.origin.replace('http', 'https'), patient), 'timed_out'),
    ]),
  );
  assert.match(lookup.message, /5 s.*address/);
  assert.match(handshake.message, /5 s.*connection/);
});
