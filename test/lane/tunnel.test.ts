import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAuthority } from '../support/certificates.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { startHttp } from '../support/http-server.js';
import { ask, Collector, codesOf, laneStand } from './stand.js';

const size = 4 * 1024 * 1024;

test('requests go through the tunnel of a proxy, one after another down the same one [A-166]', async () => {
  await using authority = await startAuthority();
  await using server = await startHttp(
    (request, response) => {
      request.resume().on('end', () => {
        if (request.url === '/large') response.end(Buffer.alloc(size, 'x'));
        else response.end(`${request.method} ${request.url} for ${request.headers.host}`);
      });
    },
    await authority.issue('DNS:server.example'),
  );
  await using proxy = await startConnectProxy(server.port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using stand = laneStand('https://server.example', { env, caFile: authority.caFile });
  for (const path of ['/1', '/2']) {
    const told = await ask(stand, { target: path });
    assert.deepEqual([told.end, told.body], ['end', `GET ${path} for server.example`], String(told.error));
  }
  const post = await ask(stand, { method: 'POST', target: '/3', body: Buffer.alloc(300_000) });
  assert.equal(post.body, 'POST /3 for server.example');
  // Read piece by piece: each is too much for a turn.
  const lane = await stand.borrow();
  const taker: Collector = new Collector(() => {
    setImmediate(() => lane.resume(taker));
    return true;
  });
  lane.send({ method: 'GET', target: '/large', headers: [], body: null }, taker);
  assert.equal((await taker.told).end, 'end');
  assert.equal(taker.bytes, size);
  assert.deepEqual(proxy.asked, ['CONNECT server.example:443']);
  assert.equal(server.connections.opened, 1);
});

test('a proxy that opens no tunnel is what is told', async () => {
  await using proxy = await startConnectProxy(1, 403);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using stand = laneStand('https://server.example', { env });
  const { end, error, unanswered } = await ask(stand);
  assert.deepEqual([end, codesOf(error)[0], unanswered], ['failed', 'network_failed', false]);
  assert.match(String(error), /opened no connection.*403/);
});
