import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everythingIn, failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

test('a header value that HTTP cannot carry is refused and not shown, and nothing is sent', async () => {
  await using server = await startHttp((_, response) => response.end('never'));
  await using http = testHttp();
  for (const value of ['Bearer CANARY\n', 'CANARY\r\nx: y', 'CANARY\u0000', 'CANARY€', 'CANARY\u007f']) {
    const headers = [['Authorization', value]] as const;
    const failure = await failureOf(send(http, server.origin, { headers }), 'header_refused');
    assert.match(failure.message, /Authorization/);
    assert.doesNotMatch(everythingIn(failure), /CANARY/);
  }
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'ä']) {
    await failureOf(send(http, server.origin, { headers: [[name, 'x']] }), 'header_refused');
  }
  assert.equal(server.connections.opened, 0);
});

test("headers that are the connection's own business are refused", async () => {
  await using server = await startHttp((_, response) => response.end('never'));
  await using http = testHttp();
  for (const name of ['Host', 'connection', 'Transfer-Encoding', 'upgrade', 'Expect', 'Proxy-Authorization']) {
    await failureOf(send(http, server.origin, { headers: [[name, 'x']] }), 'header_refused');
  }
  const wrong = { method: 'POST', body: '12345', headers: [['content-length', '3']] } as const;
  await failureOf(send(http, server.origin, wrong), 'header_refused');
  await failureOf(send(http, server.origin, { ...wrong, headers: [['content-length', 'x']] }), 'header_refused');
  for (const method of ['CONNECT', 'G ET', '', 'GET\r\n']) {
    await failureOf(send(http, server.origin, { method }), 'method_refused');
  }
  assert.deepEqual(server.requests, []);
});

test('headers go out as they were given, repeated ones repeated', async () => {
  await using server = await startHttp((request, response) => response.end(JSON.stringify(request.rawHeaders)));
  await using http = testHttp();
  const headers = [
    ['X-One', 'a'],
    ['accept', '*/*'],
    ['X-One', 'b'],
    ['User-Agent', 'own'],
  ] as const;
  const raw: string[] = JSON.parse(await textOf(await send(http, server.origin, { headers })));
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]]] : []));
  const ours = pairs.filter(([name]) => !['host', 'connection'].includes(name ?? ''));
  assert.deepEqual(ours, [['accept-encoding', 'identity'], ...headers.map((pair) => [...pair])]);
});
