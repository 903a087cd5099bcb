import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { allClosed, startHttp } from '../support/http-server.js';

const stream = { limits: { totalMs: null, maxBytes: null } } as const;

test('a stream is given as it comes, in both directions at once', async () => {
  await using server = await startHttp((request, response) => {
    request.on('data', (chunk: Buffer) => response.write(chunk.toString().toUpperCase()));
    request.on('end', () => response.end());
  });
  await using http = testHttp();
  let answered: (text: string) => void = () => undefined;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('one');
    const seen = await new Promise<string>((resolve) => {
      answered = resolve;
    });
    yield Buffer.from(`two after ${seen}`);
  }
  const response = await send(http, server.origin, { ...stream, method: 'POST', body: body() });
  const seen: string[] = [];
  for await (const chunk of response.body) {
    seen.push(Buffer.from(chunk).toString());
    if (seen.length === 1) answered(seen[0] ?? '');
  }
  assert.deepEqual(seen, ['ONE', 'TWO AFTER ONE']);
});

test('who reads slowly slows the server down: nothing is piled up', async () => {
  let written = 0;
  await using server = await startHttp((_, response) => {
    const piece = Buffer.alloc(64 * 1024);
    const more = (): void => {
      while (written < 64 * 1024 * 1024) {
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  await using http = testHttp();
  const response = await send(http, server.origin, stream);
  let previous = -1;
  for (let still = 0; still < 200; still = written === previous ? still + 1 : 0) {
    previous = written;
    await nextTurn();
  }
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes left the server unread`);
  let read = 0;
  for await (const chunk of response.body) read += chunk.byteLength;
  assert.equal(read, 64 * 1024 * 1024);
});

test("the caller's signal ends the request at once, before or within the body", async () => {
  const closed: Promise<unknown>[] = [];
  await using server = await startHttp((request, response) => {
    closed.push(once(request.socket, 'close'));
    if (request.url === '/body') response.write('first');
  });
  await using http = testHttp();
  for (const path of ['/headers', '/body']) {
    const caller = new AbortController();
    const work = send(http, server.origin + path, { ...stream, signal: caller.signal });
    if (path === '/headers') while (closed.length === 0) await nextTurn();
    else {
      const response = await work;
      const reader = response.body[Symbol.asyncIterator]();
      assert.equal(Buffer.from((await reader.next()).value).toString(), 'first');
      const rest = assert.rejects(reader.next(), /the person left/);
      caller.abort(new Error('the person left'));
      await rest;
    }
    caller.abort(new Error('the person left'));
    if (path === '/headers') await assert.rejects(work, /the person left/);
    await closed.at(-1);
  }
  const gone = AbortSignal.abort(new Error('gone before'));
  await assert.rejects(send(http, server.origin, { signal: gone }), /gone before/);
  assert.equal(server.requests.length, 2);
});

test('leaving an answer cancels the rest: by disposal, and by leaving the loop', async () => {
  const closed: Promise<unknown>[] = [];
  await using server = await startHttp((_, response: ServerResponse) => {
    closed.push(once(response, 'close'));
    response.write('first');
  });
  await using http = testHttp();
  const disposed = await send(http, server.origin, stream);
  await disposed[Symbol.asyncDispose]();
  await closed[0];
  const left = await send(http, server.origin, stream);
  for await (const _ of left.body) break;
  await closed[1];
  const bounded = await send(http, server.origin);
  await bounded[Symbol.asyncDispose]();
  await closed[2];
  assert.throws(() => left.body[Symbol.asyncIterator](), /once/);
});

test('a request body that fails, or is not wanted any more, ends the request and its source', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url === '/refuse') response.writeHead(413, { connection: 'close' }).end('too much');
    else request.resume();
  });
  await using http = testHttp();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw new Error('the file is gone');
  }
  await assert.rejects(send(http, server.origin, { method: 'POST', body: broken() }), /the file is gone/);
  let returned: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    returned = resolve;
  });
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield Buffer.alloc(1024);
        await nextTurn();
      }
    } finally {
      returned();
    }
  }
  const refused = await send(http, `${server.origin}/refuse`, { method: 'POST', body: endless() });
  assert.equal(refused.status, 413);
  assert.equal(await textOf(refused), 'too much');
  await ended;
});

test('closing the door ends what is under way', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url === '/body') response.write('first');
  });
  const http = testHttp();
  const waiting = failureOf(send(http, server.origin), 'interrupted');
  const response = await send(http, `${server.origin}/body`, stream);
  const reading = failureOf(textOf(response), 'interrupted');
  while (server.requests.length < 2) await nextTurn();
  await http[Symbol.asyncDispose]();
  assert.equal((await waiting).exit, 130);
  await reading;
  await failureOf(send(http, server.origin), 'interrupted');
  await allClosed(server);
});
