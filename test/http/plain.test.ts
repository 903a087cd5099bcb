import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../support/free-port.js';
import { send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

test('a request and its answer pass unchanged: method, path, query, headers, body, status', async () => {
  await using server = await startHttp((request, response) => {
    const seen = [request.method, request.url, request.headers['x-own'], request.headers['user-agent']];
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.writeHead(
        201,
        [
          ['Set-Cookie', 'a=1'],
          ['X-B', '2'],
          ['set-cookie', 'b=2'],
        ].flat(),
      );
      response.end(JSON.stringify([...seen, body]));
    });
  });
  await using http = testHttp();
  await using response = await send(http, `${server.origin}/p/%20?x='1'&y=%27`, {
    method: 'POST',
    headers: [['X-Own', 'ä']],
    body: 'hällo',
  });
  assert.equal(response.status, 201);
  assert.equal(response.zone, 'loopback');
  const own = response.headers.filter(([name]) => ['set-cookie', 'x-b'].includes(name));
  assert.deepEqual(own, [
    ['set-cookie', 'a=1'],
    ['x-b', '2'],
    ['set-cookie', 'b=2'],
  ]);
  const expected = ['POST', '/p/%20?x=%271%27&y=%27', 'ä', 'postern-test', 'hällo'];
  assert.deepEqual(JSON.parse(await textOf(response)), expected);
});

test('localhost is reached on whichever loopback address listens, without DNS', async () => {
  for (const address of ['127.0.0.1', '::1']) {
    // Nobody else listens there at the other address: that one would be reached first.
    const port = await freePort();
    await using server = await startHttp((_, response) => response.end(address), undefined, address, port);
    await using http = testHttp();
    for (const host of ['localhost', 'LOCALHOST', 'app.localhost', 'localhost.']) {
      await using response = await send(http, `http://${host}:${server.port}/`);
      assert.equal(await textOf(response), address);
      assert.equal(response.zone, 'loopback');
    }
    assert.deepEqual(http.asked, []);
  }
});

test('requests one after another share one connection, more at once do not wait', async () => {
  const held: (() => void)[] = [];
  await using server = await startHttp((request, response) => {
    if (request.url === '/stream') {
      response.write('first');
      held.push(() => response.end());
    } else response.end('done');
  });
  await using http = testHttp();
  for (let count = 0; count < 3; count += 1) {
    await using response = await send(http, `${server.origin}/${count}`);
    if (count > 0) assert.equal(await textOf(response), 'done');
  }
  assert.equal(server.connections.opened, 1);
  await using stream = await send(http, `${server.origin}/stream`, { limits: { totalMs: null, maxBytes: null } });
  await using post = await send(http, `${server.origin}/post`, { method: 'POST', body: '{}' });
  assert.equal(await textOf(post), 'done');
  assert.equal(server.connections.opened, 2);
  held[0]?.();
  assert.equal(await textOf(stream), 'first');
});

test('what is done before a body leaves is done on an open connection; where it fails, no byte of the body leaves', async () => {
  const bodies: string[] = [];
  await using server = await startHttp((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      bodies.push(body);
      response.end(`${request.headers['content-length']} ${request.headers['transfer-encoding'] ?? 'whole'}`);
    });
  });
  await using http = testHttp();
  const seen: number[] = [];
  const beforeBody = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen.push(server.connections.open, bodies.length);
  };
  await using response = await send(http, `${server.origin}/`, { method: 'POST', body: 'grant=ä', beforeBody });
  assert.equal(await textOf(response), '8 whole');
  assert.deepEqual(seen, [1, 0]);
  const refused = send(http, `${server.origin}/`, {
    method: 'POST',
    body: 'secret',
    beforeBody: async () => {
      throw new Error('not now');
    },
  });
  await assert.rejects(refused, /not now/);
  assert.deepEqual(bodies, ['grant=ä']);
});
