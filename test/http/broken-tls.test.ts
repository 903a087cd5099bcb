import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { ask, codesOf, startConnections } from '../relay/start-connections.js';
import { startAuthority } from '../support/certificates.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { startTcp } from '../support/http-server.js';

/** How a server that speaks TLS breaks it, once it has sent the first part of an answer. */
type Breach = (raw: Socket, secure: TLSSocket) => void;

const garbage: Breach = (raw) => void raw.write('This is no record of TLS, and nothing that could become one.');
const badRecord: Breach = (raw) => void raw.write(Buffer.concat([Buffer.from([23, 3, 3, 0, 40]), Buffer.alloc(40, 7)]));
const cut: Breach = (raw) => void raw.end();
const closed: Breach = (_, secure) => void secure.end();

const authority = await startAuthority();
after(() => authority[Symbol.asyncDispose]());
const certificate = await authority.issue('IP:127.0.0.1,DNS:good.example');

/** A TLS server that answers each request with `answer`, and goes on with `breach`. */
async function startBreaking(answer: string, breach: Breach, maxVersion: 'TLSv1.2' | 'TLSv1.3') {
  const { cert, key } = certificate;
  const sockets = new Set<Socket>();
  const tls = createTlsServer({ cert, key, maxVersion });
  const server = createServer((raw) => {
    sockets.add(raw);
    raw.on('error', () => undefined).on('close', () => sockets.delete(raw));
    tls.once('secureConnection', (secure) => {
      secure.on('error', () => undefined);
      secure.on('data', () => secure.write(answer, () => breach(raw, secure)));
    });
    tls.emit('connection', raw);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  return {
    port,
    origin: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** What is still missing when TLS breaks. */
const unfinished = {
  'a head': 'HTTP/1.1 200 OK\r\n',
  'a body in chunks': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
};

for (const [what, breach, missing] of [
  ['garbage', garbage, 'a head'],
  ['a damaged record', badRecord, 'a body in chunks'],
] as const) {
  test(`${what} of TLS within ${missing}: the request fails at once [A-131]`, async () => {
    const { caFile } = authority;
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      await using server = await startBreaking(unfinished[missing], breach, version);
      await using http = testHttp({}, { caFile });
      const limits = { totalMs: null, headersMs: 60_000, maxBytes: null };
      const work = within(send(http, server.origin, { limits }).then(textOf));
      const failure = await failureOf(work, 'network_failed');
      assert.match(failure.message, /broke off|damaged/);
      assert.doesNotMatch(failure.message, /speak TLS|handshake/);
      await using stand = startConnections(server.origin, { caFile });
      const { end, error } = await within(ask(stand));
      assert.equal(end, 'failed');
      assert.equal(codesOf(error)[0], 'network_failed');
    }
  });
}

test('a TLS tunnel that breaks within an answer ends the request at once, also through a proxy [A-131]', async () => {
  const { caFile } = authority;
  await using server = await startBreaking(unfinished['a body in chunks'], garbage, 'TLSv1.3');
  await using proxy = await startConnectProxy(server.port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using http = testHttp({}, { caFile, env });
  await failureOf(within(send(http, 'https://good.example/').then(textOf)), 'network_failed');
  await using stand = startConnections('https://good.example', { caFile, env });
  assert.equal((await within(ask(stand))).end, 'failed');
  assert.equal(proxy.asked.length, 2);
});

test('an answer over TLS that only the end of the connection ends is not taken for whole', async () => {
  const { caFile } = authority;
  const plain = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhalf of it';
  // Node does not tell whether the other side closed TLS or somebody cut the connection under it: both look the same.
  for (const breach of [cut, closed]) {
    const xchunked = plain.replace('content-type: text/plain', 'transfer-encoding: xchunked');
    for (const answer of breach === cut ? [plain, xchunked] : [plain.replace('half of it', '')]) {
      await using server = await startBreaking(answer, breach, 'TLSv1.3');
      await using http = testHttp({}, { caFile });
      const failure = await failureOf(within(send(http, server.origin).then(textOf)), 'network_failed');
      assert.match(failure.message, /without saying.*length|cut off/);
      await using stand = startConnections(server.origin, { caFile });
      const told = await within(ask(stand));
      assert.deepEqual([told.end, codesOf(told.error)[0]], ['failed', 'network_failed']);
    }
  }
});

test('over TLS, JSON that is whole proves its own end, and what has no content needs none', async () => {
  const { caFile } = authority;
  const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
  for (const [answer, whole] of [
    [`${json}{"a":[1]}`, '{"a":[1]}'],
    [`${json} {"}\\"]":"["}`, ' {"}\\"]":"["}'],
    [`${json}{"a":[1`, undefined],
    [`${json}{}{`, undefined],
    ['HTTP/1.1 202 Accepted\r\n\r\n', ''],
    ['HTTP/1.1 404 Not Found\r\n\r\nno su', undefined],
    ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'ok'],
  ] as const) {
    await using server = await startBreaking(answer, cut, 'TLSv1.3');
    await using http = testHttp({}, { caFile });
    const work = within(send(http, server.origin).then(textOf));
    if (whole === undefined) await failureOf(work, 'network_failed');
    else assert.equal(await work, whole, answer);
    await using stand = startConnections(server.origin, { caFile });
    const told = await within(ask(stand));
    assert.deepEqual([told.end, told.body], [whole === undefined ? 'failed' : 'end', answer.split('\r\n\r\n')[1]]);
  }
});

test('over TLS the answer to a HEAD needs no proof of its end: it has no body', async () => {
  const { caFile } = authority;
  await using server = await startBreaking('HTTP/1.1 200 OK\r\n\r\n', cut, 'TLSv1.3');
  await using http = testHttp({}, { caFile });
  assert.equal(await within(send(http, server.origin, { method: 'HEAD' }).then(textOf)), '');
});

test('without TLS the end of the connection may end an answer, as in HTTP/1.0', async () => {
  await using server = await startTcp((socket) => {
    socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'));
  });
  await using http = testHttp();
  assert.equal(await textOf(await send(http, server.origin)), 'all of it');
  await using stand = startConnections(server.origin);
  assert.deepEqual([(await ask(stand)).end, (await ask(stand)).body], ['end', 'all of it']);
});

/** What the work comes to, or a failure of the test: it waits for an answer that will not come. */
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('still waiting 10 s after TLS broke')), 10_000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
