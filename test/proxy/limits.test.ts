import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { startHttp } from '../support/http-server.js';
import { ask, mountOf, open, openStand } from './stand.js';

test('a server without an answer is given up in time, and the caller told so [A-225]', async () => {
  await using server = await startHttp(() => undefined);
  await using stand = await openStand(mountOf(`${server.origin}/mcp`), { limits: { headMs: 1, silenceMs: null } });
  const answer = await ask(stand, stand.at());
  assert.deepEqual([answer.status, answer.code], [504, 'timed_out']);
});

test('a head that does not end is dropped, and so are more connections than there may be [A-226]', async () => {
  await using server = await startHttp((_, response) => void response.end('fine'));
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const slow = connect({ host: '127.0.0.1', port: stand.port });
  slow.write(`GET ${stand.at()} HTTP/1.1\r\nHost: 127`);
  const crowd = Array.from({ length: 300 }, () => connect({ host: '127.0.0.1', port: stand.port }));
  for (const socket of crowd) socket.on('error', () => undefined);
  assert.equal((await ask(stand, stand.at())).body, 'fine', 'the crowd keeps nobody out');
  slow.on('error', () => undefined);
  if (!slow.closed) {
    await once(slow, 'close', { signal: AbortSignal.timeout(5_000) }).catch(() =>
      assert.fail('the one that has kept silent longest does not give way'),
    );
  }
  for (const socket of crowd) socket.destroy();
});

test('who does not read holds its server back, and nothing is piled up here [A-225]', async () => {
  let written = 0;
  await using server = await startHttp((_, response) => {
    const chunk = Buffer.alloc(65_536);
    const more = (): void => {
      while (written < 150_000_000 && response.write(chunk)) written += chunk.byteLength;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const response = await open(stand, stand.at());
  response.pause();
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  assert.ok(written < 60_000_000, `${written} bytes are on their way to nobody`);
  response.destroy();
});

test('an upload is held back by a server that does not read, and goes on when it does [A-225]', async () => {
  let go: () => void = () => undefined;
  let received = 0;
  await using server = await startHttp((request, response) => {
    go = () => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.byteLength;
      });
      request.on('end', () => response.end(String(received)));
    };
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const total = 90_000_000;
  const upload = httpRequest({
    ...{ host: '127.0.0.1', port: stand.port, path: stand.at(), method: 'PUT', agent: false },
    headers: { 'content-length': String(total) },
  });
  const chunk = Buffer.alloc(1_000_000);
  let sent = 0;
  const more = (): void => {
    while (sent < total) {
      sent += chunk.byteLength;
      if (!upload.write(chunk)) break;
    }
    if (sent < total) upload.once('drain', more);
    else upload.end();
  };
  more();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  assert.ok(sent < 60_000_000, `${sent} bytes were taken that nobody reads`);
  go();
  const [response] = await once(upload, 'response');
  assert.equal(String((await once(response, 'data'))[0]), String(total));
});

test('what is under way may end, standing streams are cut, and nobody new comes in [A-232]', async () => {
  const finish: (() => void)[] = [];
  await using server = await startHttp((request, response) => {
    if (request.url === '/mcp/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    } else finish.push(() => response.end('done'));
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const events = await open(stand, stand.at('/events'));
  await once(events, 'data');
  const brief = ask(stand, stand.at('/brief'));
  while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const slow = ask(stand, stand.at('/slow'));
  while (server.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  const closed = stand.proxy.close(60_000);
  await assert.rejects(async () => {
    for await (const _ of events);
  });
  await assert.rejects(ask(stand, stand.at('/late')));
  finish[0]?.();
  assert.equal((await brief).body, 'done');
  const first = await Promise.race([closed.then(() => 'closed'), turn('still under way')]);
  assert.equal(first, 'still under way', 'the end of one does not end the wait for the other');
  finish[1]?.();
  assert.equal((await slow).body, 'done');
  assert.equal((await slow).headers.connection, 'close');
  await closed;
});

test('with nothing under way there is nothing to wait for [A-232]', async () => {
  await using stand = await openStand(mountOf('http://127.0.0.1:1/mcp'));
  const over = new AbortController();
  const closed = stand.proxy.close(20_000).then(() => 'closed');
  assert.equal(await Promise.race([closed, wait(10_000, 'it waits', { signal: over.signal })]), 'closed');
  over.abort();
});
