import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startAuthority } from '../support/certificates.js';
import { startHttp } from '../support/http-server.js';
import { Collector, startConnections } from './start-connections.js';

const request = { method: 'GET', target: '/', headers: [], body: null };

test('a server that has moved is looked up anew, though a stream of the old place still stands', async () => {
  await using authority = await startAuthority();
  const tls = await authority.issue('DNS:moving.example');
  const old = createServer(tls, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  await once(old.listen(0, '127.0.0.1'), 'listening');
  const { port } = old.address() as AddressInfo;
  await using next = await startHttp((_, response) => void response.end('here'), tls, '127.0.0.2', port);
  let address = '127.0.0.1';
  await using stand = startConnections(`https://moving.example:${port}`, {
    caFile: authority.caFile,
    resolve: async () => [address],
  });
  const ask = async () => {
    const taker = new Collector();
    (await stand.borrow()).send(request, taker);
    return taker;
  };
  const standing = await ask();
  while (standing.bytes === 0) await new Promise((done) => setImmediate(done));
  old.close(); // what is connected stays so
  address = '127.0.0.2';
  assert.equal((await (await ask()).told).end, 'failed');
  assert.equal((await (await ask()).told).body, 'here');
  assert.equal(next.requests.length, 1);
  assert.equal(standing.headed?.status, 200);
  old.closeAllConnections();
  assert.equal((await standing.told).end, 'failed');
});
