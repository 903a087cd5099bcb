import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startHttp } from '../support/http-server.js';
import { ask, firstToken, mountOf, open, openStand } from './stand.js';

/** A server of the older transport, whose stream at /sse begins with these pieces. */
async function older(pieces: readonly string[]) {
  const posted: string[] = [];
  const streams: ServerResponse[] = [];
  const server = await startHttp((request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'POST') {
      posted.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(202).end();
      streams[0]?.write('event: message\ndata: {"answer":1}\n\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.push(response);
    const next = (at: number): void => {
      if (pieces[at] === undefined) return;
      response.write(pieces[at]);
      setTimeout(next, 5, at + 1);
    };
    next(0);
  });
  return { ...server, posted, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What comes on a stream until this is in it, or it ends. */
async function until(stream: IncomingMessage, word: string): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  while (!text.includes(word)) {
    const event = await Promise.race([once(stream, 'data'), once(stream, 'close')]).catch(() => []);
    if (event.length === 0) break;
    text += String(event[0]);
  }
  return text;
}

const addressIn = (text: string) => /data: ?(\S+)/.exec(text)?.[1] ?? '';

test('the address for messages that a server of the older transport names leads to its mount again [A-218]', async () => {
  const named: readonly (readonly [address: string, target: string, path?: RegExp])[] = [
    ['/sse/messages?sessionId=1', '/sse/messages?sessionId=1', /\/m\/messages\?sessionId=1$/],
    ['/messages?sessionId=a%20b', '/messages?sessionId=a%20b', /\/m\/~endpoint-[\w-]{16}$/],
    ['ORIGIN/other/messages', '/other/messages'],
    ['messages', '/messages'],
  ];
  for (const [address, target, path] of named) {
    const pieces = ['event: end', `point\ndata: ADDRESS`, '\n', '\n: and on\n\n'];
    const made: string[] = [...pieces];
    await using server = await older(made);
    made[1] = (pieces[1] ?? '').replace('ADDRESS', address.replace('ORIGIN', server.origin));
    await using stand = await openStand(mountOf(`${server.origin}/sse`));
    const stream = await open(stand, stand.at());
    const opening = await until(stream, 'and on');
    const given = addressIn(opening);
    assert.equal(opening, `event: endpoint\ndata: ${given}\n\n: and on\n\n`);
    assert.ok(given.startsWith(`/${stand.key}/m/`), given);
    if (path !== undefined) assert.match(given, path);
    assert.equal((await ask(stand, given, { method: 'POST', body: '{}' })).status, 202);
    assert.deepEqual(server.posted, [`${target} Bearer ${firstToken}`]);
    assert.match(await until(stream, 'answer'), /^event: message\ndata: \{"answer":1\}\n\n$/);
    stream.destroy();
  }
});

test('an address elsewhere is told nobody: the stream is broken off, and the terminal says why [A-222]', async () => {
  const elsewhere = [
    'http://127.0.0.2:1/messages',
    '//evil.example/x',
    'ORIGIN@evil.example/',
    'javascript:x',
    '/a\\b',
  ];
  for (const address of elsewhere) {
    const made: string[] = [];
    await using server = await older(made);
    made.push(`event: endpoint\ndata: ${address.replace('ORIGIN', server.origin)}\n\n`);
    await using stand = await openStand(mountOf(`${server.origin}/sse`));
    const stream = await open(stand, stand.at());
    stream.on('error', () => undefined);
    assert.doesNotMatch(await until(stream, 'data'), /evil|127\.0\.0\.2|javascript|\\/);
    while (stand.failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.deepEqual(stand.failures, ['protocol_broken'], address);
  }
});

test('a path that no server has named leads nowhere else, and other streams pass untouched [A-218]', async () => {
  const events = [
    'id: 1\ndata:\n\n',
    'event: message\ndata: event: endpoint\n\nevent: endpoint\ndata: /x\n\n',
    'event: e',
  ];
  await using server = await older(events);
  await using stand = await openStand(mountOf(`${server.origin}/sse`));
  await ask(stand, stand.at('/~endpoint-1'), { method: 'POST' });
  assert.deepEqual(
    server.posted,
    [`/sse/~endpoint-1 Bearer ${firstToken}`],
    'below the server’s address, as any other',
  );
  const stream = await open(stand, stand.at());
  assert.equal(await until(stream, events.join('')), events.join(''));
  stream.destroy();
});
