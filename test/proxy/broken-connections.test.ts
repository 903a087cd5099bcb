import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { startHttp, startTcp } from '../support/http-server.js';
import { ask, mountOf, open, openStand } from './stand.js';

test('when the server cannot be asked, the answer says so with a code and nothing else [A-229]', async () => {
  await using gone = await startHttp(() => undefined);
  const stand = await openStand(mountOf(`${gone.origin}/mcp`), { limits: { headMs: 20_000, silenceMs: null } });
  await using _stand = stand;
  await gone[Symbol.asyncDispose]();
  const answer = await ask(stand, stand.at('/x?secret=canary-query'));
  assert.deepEqual([answer.status, answer.code], [502, 'network_failed']);
  assert.deepEqual(Object.keys(JSON.parse(answer.body)), ['error', 'request']);
  assert.doesNotMatch(answer.body, /canary|127\.0\.0\.1|at .*js|ECONN/);
  assert.deepEqual(stand.failures, ['network_failed']);
  await using mute = await startTcp((socket) => void socket.write('not http\r\n\r\n'));
  await using second = await openStand(mountOf(`${mute.origin}/mcp`));
  assert.equal((await ask(second, second.at())).status, 502);
});

test('a connection that the server closed while it was idle costs a GET nothing, and a POST is not sent twice', async () => {
  let served = 0;
  const bodies: string[] = [];
  await using server = await startTcp((socket) => {
    let asked = 0;
    socket.setEncoding('latin1').on('data', (text: string) => {
      asked += 1;
      if (asked > 1) {
        bodies.push(text.split(' ', 1)[0] ?? '');
        socket.destroy();
        return;
      }
      served += 1;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  assert.equal((await ask(stand, stand.at())).body, 'ok');
  assert.equal((await ask(stand, stand.at())).body, 'ok');
  assert.deepEqual([served, bodies], [2, ['GET']]);
  assert.equal((await ask(stand, stand.at(), { method: 'POST', body: '{}' })).status, 502);
  assert.deepEqual(bodies, ['GET', 'POST']);
  assert.equal((await ask(stand, stand.at())).body, 'ok');
  assert.equal((await ask(stand, stand.at(), { method: 'DELETE' })).status, 502);
  assert.deepEqual(bodies, ['GET', 'POST', 'DELETE'], 'nor what has no body, and changes something');
});

test('a caller that goes away ends the request at the server, and a server that breaks off ends the answer [A-225] [A-226]', async () => {
  const ended: string[] = [];
  await using server = await startHttp((request, response) => {
    request.resume().on('error', () => undefined);
    response.once('close', () => void ended.push(request.url ?? ''));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    if (request.url === '/mcp/cut') setImmediate(() => response.destroy());
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const response = await open(stand, stand.at('/stay'));
  assert.equal(String((await once(response, 'data'))[0]), 'data: 1\n\n', 'the first event is not waited for');
  response.destroy();
  while (!ended.includes('/mcp/stay')) await new Promise((resolve) => setTimeout(resolve, 5));
  const cut = await open(stand, stand.at('/cut'));
  await assert.rejects(async () => {
    for await (const _ of cut);
  });
  const upload = httpRequest({
    host: '127.0.0.1',
    port: stand.port,
    path: stand.at('/up'),
    method: 'POST',
    agent: false,
  });
  upload.on('error', () => undefined);
  upload.write(Buffer.alloc(200_000));
  await once(upload, 'response');
  upload.destroy();
  while (!ended.includes('/mcp/up')) await new Promise((resolve) => setTimeout(resolve, 5));
});
