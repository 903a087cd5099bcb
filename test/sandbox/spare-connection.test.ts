import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { listenOnLoopback } from '../../src/sandbox/wire/listen.js';

test('a browser’s spare connection gets no byte before its first request, which is answered [A-113]', async () => {
  const limits = { requestTimeout: 200, headersTimeout: 100, connectionsCheckingInterval: 50 };
  await using server = await listenOnLoopback(0, limits);
  server.serve((_, response) => void response.end('fine'));
  const spare = connect(server.port, '127.0.0.1').setEncoding('latin1');
  let read = '';
  spare.on('data', (text: string) => {
    read += text;
  });
  await once(spare, 'connect');
  // What is begun and does not go on is late, and by then the older connection has been looked at, too.
  for (let round = 0; round < 3; round += 1) {
    const begun = connect(server.port, '127.0.0.1').setEncoding('latin1');
    begun.write('GET / HTTP/1.1\r\nHost: x');
    assert.match(String(await once(begun, 'data')), /^HTTP\/1\.1 400 /);
    begun.destroy();
  }
  assert.equal(read, '', 'it would be taken for the answer to what the browser sends next');
  assert.ok(!spare.destroyed && spare.writable, 'the spare connection stays open');
  spare.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(spare, 'end', { signal: AbortSignal.timeout(5_000) });
  assert.match(read, /^HTTP\/1\.1 200 .*fine/s);
});

test('a request that comes while the sandbox still makes its keys waits, and is responded to', async () => {
  await using server = await listenOnLoopback(0);
  const early = fetch(server.origin);
  server.serve((_, response) => void response.end('fine'));
  assert.deepEqual([(await early).status, await (await early).text()], [200, 'fine']);
});
