import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { startHttp, startTcp } from '../support/http-server.js';
import { mountOf, openStand, raw, type Stand } from './stand.js';

const ask = (stand: Stand, line: string, ...headers: string[]): string =>
  `${[line, `Host: 127.0.0.1:${stand.port}`, ...headers].join('\r\n')}\r\n\r\n`;

/** A connection whose answers are read as they come. */
function caller({ port }: Stand): Socket & { seen: string } {
  const socket = Object.assign(connect({ host: '127.0.0.1', port, allowHalfOpen: true }), { seen: '' });
  socket.on('error', () => undefined).setEncoding('latin1');
  return socket.on('data', (text: string) => {
    socket.seen += text;
  });
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('requests that come before their turn wait for it, and are answered in order [A-217]', async () => {
  const finish: (() => void)[] = [];
  await using server = await startHttp((request, response) => void finish.push(() => response.end(request.url)));
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const socket = caller(stand);
  const lines = ['/1', '/2', '/3'].map((rest) => ask(stand, `GET ${stand.at(rest)} HTTP/1.1`));
  socket.write(`${lines.join('')}GET /nowhere HTTP/1.1\r\nHost: evil\r\n\r\n`);
  for (const at of [0, 1, 2]) {
    await until(() => finish.length > at);
    assert.equal(server.requests.length, at + 1, 'not before its turn');
    finish[at]?.();
  }
  await once(socket, 'end');
  assert.deepEqual(socket.seen.match(/\/mcp\/\d|HTTP\/1\.1 \d+/g), [
    ...['HTTP/1.1 200', '/mcp/1', 'HTTP/1.1 200', '/mcp/2', 'HTTP/1.1 200', '/mcp/3', 'HTTP/1.1 421'],
  ]);
  socket.destroy();
});

test('an answer without a body has none, whatever its head says, and the next one is not taken for it', async () => {
  const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n';
  await using server = await startTcp((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (text.startsWith('HEAD')) socket.write(plain);
      else if (text.includes('/204')) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      else if (text.includes('/304')) socket.write('HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n');
      else socket.write(`${plain}last`);
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const get = (rest: string, ...headers: string[]) => ask(stand, `GET ${stand.at(rest)} HTTP/1.1`, ...headers);
  const head = ask(stand, `HEAD ${stand.at()} HTTP/1.1`);
  const badHead = ask(stand, 'HEAD /x HTTP/1.1');
  const all = await raw(stand.port, head + get('/204') + get('/304') + badHead + get('', 'Connection: close'));
  const answers = all.split(/(?=HTTP\/1\.1 )/);
  assert.deepEqual(
    answers.map((answer) => answer.slice(9, 12)),
    ['200', '204', '304', '401', '200'],
  );
  for (const answer of answers.slice(0, 4)) assert.match(answer, /\r\n\r\n$/);
  assert.match(answers[0] ?? '', /content-length: 4\r\n/i);
  assert.doesNotMatch(answers[1] ?? '', /content-length|transfer-encoding/i);
  assert.match(answers[4] ?? '', /connection: close\r\n\r\nlast$/i);
});

test('a body of no known length is sent in chunks, and one that breaks off never looks whole [A-225]', async () => {
  const heads: Record<string, string> = {
    '/closed': '\r\nall of it',
    '/chunks': 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    '/short': 'Content-Length: 9\r\n\r\nabc',
    '/whole': 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  };
  await using server = await startTcp((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      const [, path = ''] = /\/mcp(\S+)/.exec(text) ?? [];
      socket.end(`HTTP/1.1 200 OK\r\n${heads[path]}`);
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const get = (rest: string) => raw(stand.port, ask(stand, `GET ${stand.at(rest)} HTTP/1.1`), 500);
  assert.match(await get('/closed'), /transfer-encoding: chunked\r\n\r\n9\r\nall of it\r\n0\r\n\r\n$/i);
  assert.match(await get('/whole'), /\r\n\r\n3\r\nabc\r\n0\r\n\r\n$/);
  assert.doesNotMatch(await get('/chunks'), /\r\n0\r\n/);
  assert.match(await get('/short'), /^(?:HTTP\/1\.1 502 |HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 9\r\n\r\nabc$)/i);
});

test('a body is asked for with 100 once the request is admitted; nothing else can be expected [A-217]', async () => {
  await using server = await startHttp((request, response) => {
    request.on('data', () => undefined).on('end', () => response.end('done'));
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const line = `POST ${stand.at()} HTTP/1.1`;
  const wanted = caller(stand);
  wanted.write(ask(stand, line, 'Content-Length: 4', 'Expect: 100-Continue', 'Connection: close'));
  await until(() => wanted.seen !== '');
  assert.equal(wanted.seen, 'HTTP/1.1 100 Continue\r\n\r\n');
  wanted.write('abcd');
  await once(wanted, 'end');
  assert.match(wanted.seen, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*done$/);
  wanted.destroy();
  const refused = await raw(stand.port, ask(stand, 'POST /x HTTP/1.1', 'Content-Length: 4', 'Expect: 100-continue'));
  assert.match(refused, /^HTTP\/1\.1 401 /);
  const other = await raw(stand.port, ask(stand, line, 'Content-Length: 4', 'Expect: a miracle'));
  assert.match(other, /^HTTP\/1\.1 417 /);
  assert.equal(server.requests.length, 1);
});

test('who is refused in the middle of sending can read why, and what is no HTTP is told so at once', async () => {
  await using server = await startHttp((_, response) => void response.end());
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const upload = caller(stand);
  upload.write(ask(stand, 'PUT /wrong/m HTTP/1.1', 'Content-Length: 3000000'));
  upload.write(Buffer.alloc(3_000_000));
  await once(upload, 'end');
  assert.match(upload.seen, /^HTTP\/1\.1 401 [\s\S]*key_needed/);
  upload.destroy();
  for (const bytes of ['\x16\x03\x01\x02\x00\x01\x00', 'SSH-2.0-x\r\n', 'GET / HTTP/1.1\n', '\0', 'x'.repeat(20_000)]) {
    const answer = await raw(stand.port, bytes);
    assert.match(
      answer,
      /^HTTP\/1\.1 4(?:00|31) [\s\S]*Connection: close\r\nContent-Length: 0\r\n\r\n$/,
      bytes.slice(0, 9),
    );
  }
  assert.equal(server.requests.length, 0);
});

test('an answer that does not wait for the body leaves the connection fit for the next request', async () => {
  await using server = await startHttp((request, response) => void response.end(request.url));
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const socket = caller(stand);
  socket.write(ask(stand, `PUT ${stand.at('/early')} HTTP/1.1`, 'Content-Length: 200000'));
  socket.write(Buffer.alloc(100_000));
  await until(() => socket.seen.includes('/mcp/early'));
  socket.write(Buffer.alloc(100_000, 'GET'));
  socket.write(ask(stand, `GET ${stand.at('/next')} HTTP/1.1`));
  await until(() => socket.seen.includes('/mcp/next'));
  assert.deepEqual(server.requests, ['PUT /mcp/early', 'GET /mcp/next']);
  socket.destroy();
});

test('a caller that shuts its side while it is answered has gone, as for Node.js [A-226]', async () => {
  let gone = false;
  await using server = await startHttp((_, response) => {
    response.on('close', () => {
      gone = true;
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const socket = caller(stand);
  socket.end(ask(stand, `GET ${stand.at()} HTTP/1.1`));
  await once(socket, 'end');
  await until(() => gone || server.requests.length === 0);
  assert.equal(socket.seen, '');
});
