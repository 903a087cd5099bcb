import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startHttp } from '../support/http-server.js';
import { ask, mountOf, openStand } from './stand.js';

test('a caller that has asked in advance and goes away ends its request at the server, too [A-226]', async () => {
  let closed: Promise<unknown> | undefined;
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    closed = once(response, 'close');
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const caller = connect(stand.port, '127.0.0.1');
  const get = `GET ${stand.at()} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\n\r\n`;
  caller.write(get + get);
  await once(caller, 'data');
  caller.destroy();
  await closed;
  assert.equal(server.requests.length, 1);
});

test('a caller that has gone while its server was looked up asks that server nothing [A-226]', async () => {
  await using server = await startHttp((_, response) => response.end('fine'));
  let found: () => void = () => undefined;
  const lookedUp = new Promise<void>((resolve) => {
    found = resolve;
  });
  const resolve = () => lookedUp.then(() => ['127.0.0.1']);
  const mount = mountOf(`http://named.example:${server.port}/mcp`);
  await using stand = await openStand(mount, {}, { resolve });
  const caller = connect(stand.port, '127.0.0.1').resume();
  caller.end(`GET ${stand.at('/gone')} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\n\r\n`);
  await once(caller, 'close');
  const next = ask(stand, stand.at('/next'));
  found();
  assert.equal((await next).body, 'fine');
  assert.deepEqual(server.requests, ['GET /mcp/next']);
});
