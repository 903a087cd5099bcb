import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Endpoints } from '../../src/proxy/mount-path.js';
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
    if (stream.closed) break;
    const silent = AbortSignal.timeout(5_000);
    const event = await Promise.race(['data', 'close'].map((name) => once(stream, name, { signal: silent }))).catch(
      () => [],
    );
    if (event.length === 0) break;
    text += String(event[0]);
  }
  return text;
}

/** Waits until a failure was told, or long enough that none will be. */
async function failed({ failures }: { readonly failures: readonly string[] }): Promise<void> {
  for (let waited = 0; failures.length === 0 && waited < 1_000; waited += 1)
    await new Promise((resolve) => setTimeout(resolve, 2));
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
    'ORIGIN//evil.example/x',
    'http://user:word@HOST/messages',
  ];
  for (const address of elsewhere) {
    const made: string[] = [];
    await using server = await older(made);
    made.push(
      `event: endpoint\ndata: ${address.replace('ORIGIN', server.origin).replace('HOST', new URL(server.origin).host)}\n\n`,
    );
    await using stand = await openStand(mountOf(`${server.origin}/sse`));
    const stream = await open(stand, stand.at());
    stream.on('error', () => undefined);
    assert.doesNotMatch(await until(stream, 'data'), /evil|127\.0\.0\.2|javascript|\\/);
    await failed(stand);
    assert.deepEqual(stand.failures, ['protocol_broken'], address);
  }
});

test('a foreign address is told nobody in whatever form its event comes: later, compressed, or in a body of announced length [A-222]', async () => {
  const foreign = 'http://127.0.0.2:1/messages';
  const named = `event: endpoint\ndata: ${foreign}\n\n`;
  const own = 'event: endpoint\ndata: /messages\n\n';
  const answers: readonly (readonly [headers: Record<string, string>, body: string | Buffer])[] = [
    [{}, `\ufeff${named}`],
    [{}, `: hello\n${named}`],
    [{}, `id: 1\r\n${named.replaceAll('\n', '\r\n')}`],
    [{}, `data: ${foreign}\revent: endpoint\r\r`],
    [{}, 'event: endpoint\ndata: http://127.0.\ndata: 0.2:1/messages\n\n'],
    [{}, own + named],
    [{ 'content-length': String(named.length) }, named],
    [{ 'content-encoding': 'gzip' }, gzipSync(named)],
    [{ 'content-type': 'text/plain; text/event-stream' }, named],
  ];
  for (const [headers, body] of answers) {
    let coding: unknown;
    await using server = await startHttp((request, response) => {
      coding = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).write(body);
    });
    await using stand = await openStand(mountOf(`${server.origin}/sse`));
    const stream = await open(stand, stand.at(), {
      headers: { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' },
    });
    stream.on('error', () => undefined);
    const what = JSON.stringify([headers, body.toString('latin1')]);
    const text = stream.headers['content-encoding'] === undefined ? await until(stream, '127.0.0.2') : 'compressed';
    assert.doesNotMatch(text, /127\.0\.|0\.2:1|compressed/, what);
    await failed(stand);
    assert.deepEqual(stand.failures, ['protocol_broken'], what);
    assert.equal(coding, 'identity', 'what is asked for');
  }
});

test('a stream of announced length is passed on whole, though its address is another, up to its last half line [A-218]', async () => {
  const said = 'event: endpoint\ndata: /messages\n\n: and no line end';
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': said.length }).end(said);
  });
  await using stand = await openStand(mountOf(`${server.origin}/sse`));
  const { body } = await ask(stand, stand.at());
  assert.equal(body.replace(/data: \S+/, 'data: /messages'), said);
  assert.match(addressIn(body), /~endpoint-/);
});

test('of the addresses that a server names without end the latest are kept [A-225]', () => {
  const endpoints = new Endpoints();
  const rests = Array.from({ length: 1_000 }, (_, at) => endpoints.add(`/messages?${at}`));
  assert.equal(endpoints.targetOf(rests.at(-1) ?? ''), '/messages?999');
  assert.equal(rests.filter((rest) => endpoints.targetOf(rest) !== undefined).length, 256);
  assert.equal(endpoints.targetOf(rests[0] ?? ''), undefined);
});

test('a path that no server has named leads nowhere else, and other streams pass untouched [A-218]', async () => {
  const events = [
    'id: 1\ndata:\n\n',
    'event: message\ndata: event: endpoint\n\nevent: other\ndata: /x\n\n',
    'data: e',
    '\n\n',
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
