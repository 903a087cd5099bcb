import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { usualRedirectUri } from '../../../src/core/configuration/redirect-uri.js';
import { listenForCallback } from '../../../src/login/browser/callback-listener.js';
import { Failure } from '../../support/product.js';
import { getFrom, sendRaw, statusOf, underTest } from './listener-under-test.js';

/** Opens silent connections, or ones that began a request, and keeps them. */
async function openSockets(port: number, count: number, begin: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let each = 0; each < count; each += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (begin !== '') socket.write(begin);
    sockets.push(socket.resume());
  }
  return sockets;
}

test('[A-102] hundreds of half-open connections: the oldest give way, and the browser is served', async () => {
  await using on = await underTest();
  const flood = await openSockets(on.port, 300, 'GET /callback HTTP/1.1\r\nX-Slow: ');
  const reply = await on.get('/callback?code=x&state=wrong');
  assert.equal(reply.status, 400);
  const dropped = flood.filter((socket) => socket.destroyed || socket.readableEnded).length;
  assert.ok(dropped >= 300 - 64, `${dropped} dropped`);
  const page = on.callBack('code=ours');
  assert.equal((await on.answer)[0]?.[1], 'ours');
  const more = await openSockets(on.port, 100, '');
  await on.listener.finish('stored');
  assert.equal((await page).status, 200, 'a held callback is not dropped for silent newcomers');
  for (const socket of [...flood, ...more]) socket.destroy();
});

test('[A-102] who begins a request and does not go on is cut off; who says nothing gets no byte, and the page later', async () => {
  await using on = await underTest({ headersMs: 200, requestMs: 400 });
  const [spare] = await openSockets(on.port, 1, '');
  const stalled = [
    ...(await openSockets(on.port, 1, 'GET /callback HTTP/1.1\r\nHost: ')),
    ...(await openSockets(on.port, 1, `GET /callback?code=x&state=${on.state} HTTP/1.1\r\n`)),
  ];
  assert.ok(spare);
  let received = '';
  spare.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  const ended = once(spare, 'close');
  await Promise.all(stalled.map((socket) => once(socket, 'close')));
  assert.ok(on.isWaiting());
  // It has been open for longer than those that were cut off. A browser keeps such a one for its next request.
  assert.deepEqual([received, spare.readableEnded, spare.destroyed], ['', false, false]);
  spare.write(`GET /callback?code=x&state=${on.state} HTTP/1.1\r\nHost: 127.0.0.1:${on.port}\r\n\r\n`);
  assert.equal((await on.answer)[0]?.[1], 'x');
  const finished = on.listener.finish('stored');
  await ended;
  const page = await on.get(/^Location: (\S+)/m.exec(received)?.[1] ?? `/nowhere, but: ${received}`);
  assert.match(page.body, /You are logged in/);
  await finished;
});

test('[A-103] long targets, long or many headers and bodies are refused; a body is never read', async () => {
  await using on = await underTest();
  const { port } = on;
  const answer = `/callback?code=x&state=${on.state}`;
  const head = (target: string, lines = ''): string =>
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines}\r\n`;
  const replies: readonly (readonly [status: number, text: string])[] = [
    [414, head(`/callback?x=${'a'.repeat(9_000)}`)],
    [414, head(`/${'a'.repeat(9_000)}`)],
    [431, head(`/callback?x=${'a'.repeat(20_000)}`)],
    [431, head(answer, `X-Long: ${'a'.repeat(20_000)}\r\n`)],
    [431, head(answer, 'a: b\r\n'.repeat(2_500))],
    [431, head(answer, 'a: b\r\n'.repeat(150))],
    [413, head(answer, `Content-Length: ${2 ** 30}\r\n`)],
    [413, head(answer, 'Transfer-Encoding: chunked\r\n')],
    [400, head(answer, 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')],
    [0, head(answer, 'Content-Length: 9\r\nExpect: 100-continue\r\n')],
    [0, head(answer, 'Expect: gold\r\n')],
  ];
  for (const [status, text] of replies) {
    assert.equal(statusOf(await sendRaw(port, text)), status, text.slice(-60));
    assert.ok(on.isWaiting());
  }
});

test('of two requests sent at once on one connection, the second is not looked at', async () => {
  await using on = await underTest();
  const host = `Host: 127.0.0.1:${on.port}`;
  const two = `GET / HTTP/1.1\r\n${host}\r\n\r\nGET /callback?code=x&state=${on.state} HTTP/1.1\r\n${host}\r\n\r\n`;
  await sendRaw(on.port, two);
  assert.ok(on.isWaiting());
});

test('[A-105] [A-106] [A-108] [R-5.8d] bound to 127.0.0.1 alone, named so, from the start to the end', async () => {
  await using on = await underTest();
  assert.equal(on.listener.redirectUri, `http://127.0.0.1:${on.port}/callback`);
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, address }) => family === 'IPv4' && address !== '127.0.0.1')
    .map(({ address }) => address);
  for (const address of [...others, '127.0.0.2', '::1']) {
    const socket = connect(on.port, address);
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.match(error.code ?? '', /^(ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH)$/, address);
  }
  const thief = createServer();
  thief.listen({ host: '127.0.0.1', port: on.port });
  const [taken] = (await once(thief, 'error')) as [NodeJS.ErrnoException];
  assert.equal(taken.code, 'EADDRINUSE', 'the port is never let go while the login goes on');
});

test('[A-107] a fixed port that is taken: said so, exit 2, and nobody is asked whether it is us', async () => {
  const other = createServer((socket) => assert.fail(`it was contacted from ${socket.remotePort}`));
  other.listen({ host: '127.0.0.1', port: 0 });
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  await assert.rejects(listenForCallback({ ...usualRedirectUri, port: address.port }), (error) => {
    assert.ok(error instanceof Failure);
    assert.deepEqual([error.code, error.exit], ['port_in_use', 2]);
    assert.match(error.message, new RegExp(`Port ${address.port} .* in use by another program`));
    return true;
  });
  other.close();
  await once(other, 'close');
  await using listener = await listenForCallback({ ...usualRedirectUri, port: address.port });
  assert.equal(listener.redirectUri, `http://127.0.0.1:${address.port}/callback`);
});

test('who comes before there is anything to lead to gets the constant page, and the login goes on', async () => {
  await using listener = await listenForCallback({ ...usualRedirectUri, port: 0 });
  const port = Number(new URL(listener.redirectUri).port);
  const targets = ['/', new URL(listener.link('opener')).pathname, '/callback?code=x&state=y'];
  const replies = await Promise.all(targets.map((target) => getFrom(port, target, {})));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [404, 404, 400],
  );
});

test('ports of the system, ports that browsers block, and what is no port are refused', async () => {
  for (const port of [1, 80, 443, 1023, 6000, 6667, 10080, -1, 65_536, 1.5, Number.NaN]) {
    await assert.rejects(
      listenForCallback({ ...usualRedirectUri, port }),
      { code: 'port_refused', exit: 2 },
      `${port}`,
    );
  }
});

test('a link that is opened again and again makes 64 authorization requests, and no more; the login goes on', async () => {
  await using on = await underTest();
  const { pathname } = new URL(on.listener.link('terminal'));
  const statuses: number[] = [];
  while (statuses.length < 66) statuses.push((await on.get(pathname)).status);
  assert.equal(on.states.length, 64);
  assert.deepEqual(statuses.slice(62), [303, 502, 502, 502]);
  const page = on.callBack('code=ours');
  assert.equal((await on.answer)[0]?.[1], 'ours');
  await on.listener.finish('stored');
  assert.equal((await page).status, 200);
});
