import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { allClosed, startHttp, startTcp } from '../support/http-server.js';

const mebibyte = 1024 * 1024;

test('a document of 50 MB is stopped at the limit, announced or not [A-45] [A-120]', async () => {
  let sent = 0;
  await using server = await startHttp((request, response) => {
    if (request.url === '/announced') response.setHeader('content-length', 50 * mebibyte);
    const piece = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (sent < 50 * mebibyte && !response.destroyed) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  await using http = testHttp();
  const failure = await failureOf(send(http, server.origin).then(textOf), 'too_large');
  assert.equal(failure.exit, 5);
  assert.ok(sent < 20 * mebibyte, `${sent} bytes left the server`);
  await failureOf(send(http, `${server.origin}/announced`).then(textOf), 'too_large');
});

test('an announced length beyond the limit is refused before a byte of the body is there [A-45] [A-120]', async () => {
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { 'content-length': 50 * mebibyte }).flushHeaders();
  });
  await using http = testHttp();
  const failure = await failureOf(send(http, server.origin), 'too_large');
  assert.match(failure.message, /52428800 bytes/);
  await allClosed(server);
});

test('identity is asked for; one coding that comes all the same is decoded [A-253] [A-120]', async () => {
  const asked: unknown[] = [];
  const codings = { gzip: gzipSync, deflate: deflateSync, 'x-gzip': gzipSync };
  await using server = await startHttp((request, response) => {
    asked.push(request.headers['accept-encoding']);
    const coding = request.url?.slice(1) as keyof typeof codings;
    response.setHeader('content-encoding', coding).end(codings[coding]('plain text'));
  });
  await using http = testHttp();
  for (const coding of Object.keys(codings)) {
    const response = await send(http, `${server.origin}/${coding}`);
    assert.ok(!response.headers.some(([name]) => name === 'content-encoding' || name === 'content-length'));
    assert.equal(await textOf(response), 'plain text');
  }
  assert.deepEqual(new Set(asked), new Set(['identity']));
  const headers = [['accept-encoding', 'gzip']] as const;
  const raw = await send(http, `${server.origin}/gzip`, { headers });
  assert.deepEqual(Buffer.from(await raw.bytes()), gzipSync('plain text'));
  assert.ok(raw.headers.some(([name, value]) => name === 'content-encoding' && value === 'gzip'));
});

test('a bomb stops at the limit of decoded bytes, in little memory [A-253] [A-45] [A-120]', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * mebibyte));
  await using server = await startHttp((_, response) => {
    response.setHeader('content-encoding', 'gzip').end(bomb);
  });
  await using http = testHttp();
  const before = process.memoryUsage().rss;
  await failureOf(send(http, server.origin).then(textOf), 'too_large');
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 20 * mebibyte, `${grown} bytes of memory`);
});

test('more than one coding, or an unknown one, is not unpacked at all [A-253]', async () => {
  const twice = gzipSync(gzipSync('x'));
  const chains = ['gzip, gzip', 'gzip,br', 'br', 'zstd', 'compress', 'gzip, gzip, gzip, gzip, gzip', 'aes128gcm'];
  let chain: string | string[] = '';
  await using server = await startHttp((_, response) => {
    response.setHeader('content-encoding', chain).end(twice);
  });
  await using http = testHttp();
  for (chain of [...chains, ['gzip', 'gzip']]) {
    const isOne = typeof chain === 'string' && !chain.includes(',');
    await failureOf(send(http, server.origin), isOne ? 'network_failed' : 'too_large');
  }
  chain = 'identity';
  assert.equal((await (await send(http, server.origin)).bytes()).byteLength, twice.byteLength);
});

test('damaged and empty compressed bodies end in a failure or in nothing, not in a crash', async () => {
  const whole = gzipSync('x'.repeat(100_000));
  let body = Buffer.alloc(0);
  await using server = await startHttp((_, response) => {
    response.setHeader('content-encoding', 'gzip').end(body);
  });
  await using http = testHttp();
  assert.equal(await textOf(await send(http, server.origin)), '');
  for (body of [whole.subarray(0, -20), Buffer.from('no gzip at all'), whole.subarray(20)]) {
    await failureOf(send(http, server.origin).then(textOf), 'network_failed');
  }
  body = whole;
  assert.equal((await send(http, server.origin, { method: 'HEAD' })).status, 200);
});

test('a content-length that lies is found out [A-253]', async () => {
  const answers = [
    'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab',
  ];
  let answer = '';
  await using server = await startTcp((socket) => {
    socket.once('data', () => socket.end(answer));
  });
  for (answer of answers) {
    await using http = testHttp();
    await failureOf(send(http, server.origin).then(textOf), 'network_failed');
  }
  answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more than was announced';
  await using http = testHttp();
  assert.equal(await textOf(await send(http, server.origin)), 'ok');
});

test('headers beyond 16 KiB are refused, however they are cut', async () => {
  const many = Array.from({ length: 1000 }, (_, index) => `x-${index}: ${'v'.repeat(30)}\r\n`).join('');
  const blocks = [`x: ${'v'.repeat(17_000)}\r\n`, many];
  let block = '';
  await using server = await startTcp((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${block}content-length: 0\r\n\r\n`));
  });
  for (block of blocks) {
    await using http = testHttp();
    await failureOf(send(http, server.origin), 'too_large');
  }
  block = `x: ${'v'.repeat(15_000)}\r\n`;
  await using http = testHttp();
  assert.equal((await send(http, server.origin)).status, 200);
});

test('an answer that has no body by its status is not judged by what it says of one [A-253]', async () => {
  await using server = await startTcp((socket) => {
    socket.once('data', (request) => {
      const status = /^GET \/(\d+)/.exec(request.toString())?.[1];
      socket.end(`HTTP/1.1 ${status} x\r\ncontent-encoding: unheard-of\r\nconnection: close\r\n\r\n`);
    });
  });
  await using http = testHttp();
  for (const status of [204, 304]) {
    const response = await send(http, `${server.origin}/${status}`);
    assert.deepEqual([response.status, await textOf(response)], [status, '']);
  }
});
