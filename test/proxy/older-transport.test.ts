import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startHttp } from '../support/http-server.js';
import { ask, firstToken, mountOf, open, openStand } from './stand.js';

/** What a caller gets of an event stream that comes in these pieces, and what the terminal says. */
async function passed(pieces: readonly (string | Buffer)[], headers: Record<string, string> = {}) {
  let coding: unknown;
  await using server = await startHttp((request, response) => {
    coding = request.headers['accept-encoding'];
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    const next = (at: number): void => {
      const piece = pieces[at];
      if (piece === undefined) response.end();
      else response.write(piece, () => setImmediate(next, at + 1));
    };
    next(0);
  });
  await using stand = await openStand(mountOf(`${server.origin}/sse`));
  const wanted = { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' };
  const stream = await open(stand, stand.at(), { headers: wanted });
  let text = '';
  stream.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  stream.on('error', () => undefined);
  if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', resolve));
  return { text, whole: stream.complete, failures: stand.failures, coding };
}

/** Every form of it that some reader takes for an address for messages. */
const naming: readonly string[] = [
  'event: endpoint\ndata: /messages\n\n',
  'event:endpoint\r\ndata:/messages\r\n\r\n',
  'data: http://127.0.0.2:1/messages\revent: endpoint\r\r',
  '\xef\xbb\xbfevent: endpoint\ndata: ../home\n\n',
  ': hello\n\nid: 7\nevent:  endpoint \ndata: home\n\n',
  'event: message\ndata: {}\n\nevent: endpoint\ndata: //evil.example/x\n\n',
  `event: ${' '.repeat(300)}endpoint\ndata: home\n\n`,
  `event: endpoint${' '.repeat(300)}\ndata: home\n\n`,
];

test('a stream that names an address for messages is broken off before a caller has it, wherever it is cut, and the terminal says why [A-222]', async () => {
  for (const said of naming) {
    const bytes = Buffer.from(said, 'latin1');
    for (const cut of new Set([
      0,
      said.indexOf('event') + 3,
      said.indexOf('endpoint') + 4,
      said.indexOf('endpoint') + 8,
    ])) {
      const { text, whole, failures } = await passed([bytes.subarray(0, cut), bytes.subarray(cut)]);
      const what = JSON.stringify([said, cut, text]);
      assert.equal(/event: *endpoint[\s\S]*(\n\n|\r\r|\r\n\r\n)/.test(text), false, what);
      assert.equal(whole, false, what);
      assert.deepEqual(failures, ['older_transport'], what);
    }
  }
});

test('so is one of announced length, or of another content type; one that is compressed unasked is refused [A-222]', async () => {
  const [named = ''] = naming;
  for (const headers of [
    { 'content-length': String(named.length) },
    { 'content-type': 'text/plain; text/event-stream' },
  ]) {
    assert.deepEqual((await passed([named], headers as unknown as Record<string, string>)).failures, [
      'older_transport',
    ]);
  }
  const { failures, coding } = await passed([gzipSync(named)], { 'content-encoding': 'gzip' });
  assert.deepEqual(failures, ['protocol_broken']);
  assert.equal(coding, 'identity', 'what is asked for');
});

test('other streams pass as they are, and a path below the server’s is as any other [A-218]', async () => {
  const events = [
    'id: 1\ndata:\n\n',
    'event: message\ndata: event: endpoint\n\nevent: endpoints\ndata: /x\n\n',
    `data: e${'x'.repeat(10_000)}`,
    '\n\n: no end',
  ];
  const { text, whole, failures } = await passed(events, { 'content-length': String(events.join('').length) });
  assert.deepEqual([text, whole, failures], [events.join(''), true, []]);
  const asked: string[] = [];
  await using server = await startHttp((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.end();
  });
  await using stand = await openStand(mountOf(`${server.origin}/sse`));
  await ask(stand, stand.at('/~endpoint-1'), { method: 'POST' });
  assert.deepEqual(asked, [`/sse/~endpoint-1 Bearer ${firstToken}`]);
});
