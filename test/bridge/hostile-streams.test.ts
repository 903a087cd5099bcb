import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configure, type Home } from '../support/home.js';
import {
  type AskedFor,
  answerOf,
  answersTo,
  eventStream,
  type HostileServer,
  hostileServer,
  inCrumbs,
  inOnePiece,
  MiB,
  type RawAnswer,
  stray,
} from '../support/hostile-server.js';
import { runHere } from '../support/in-process.js';
import { peakOf } from '../support/peak-memory.js';
import { type BridgeHost, bareHome, startBridge } from './host.js';
import { startRawHost } from './raw-host.js';

/** A server that answers `tools/call` as the test says. */
const hostile = (answer: (asked: AskedFor) => RawAnswer): Promise<HostileServer> => answersTo('tools/call', answer);

const call = (id: number) => ({ id, method: 'tools/call', params: { name: 'x' } });

/** How much larger the bridge's peak of memory gets by one call, in MiB, and the line that comes of it. */
async function costOf(home: Home, url: string, name: string): Promise<{ line: Buffer; grown: number }> {
  await using host = startRawHost(home, url);
  await host.write('{"jsonrpc":"2.0","id":"first","method":"ping"}');
  await host.line();
  const base = await peakOf(host.child.pid);
  await host.write(JSON.stringify({ jsonrpc: '2.0', ...call(1), params: { name } }));
  const line = await host.line();
  return { line, grown: (await peakOf(host.child.pid)) - base };
}

/** What a call is answered with, by whomever. */
async function codeOf(host: BridgeHost, id: number): Promise<unknown> {
  const answer = await host.ask(call(id));
  assert.equal(answer.id, id);
  return answer.error?.data?.['code'];
}

test('answers that nobody asked for, without end: a few lines in the log, and the stream is broken off [A-257]', async () => {
  await using server = await hostile(() => eventStream(stray, 100_000, '', 500));
  await using home = await bareHome();
  await configure(home, { messageMiB: 1 });
  await using host = startBridge(home, server.url);
  await host.open();
  assert.equal(await codeOf(host, 1), 'protocol_broken');
  const lines = host.program.stderr.split('\n').filter((line) => line.includes('nobody waits for'));
  assert.ok(lines.length >= 2 && lines.length <= 6, host.program.stderr);
  assert.match(lines[0] ?? '', /^postern: .*\banswer\b/);
  assert.match(lines.at(-1) ?? '', /\(10+ times by now\)$/);
  assert.match(host.program.stderr, /goes on and on and brings no message/);
  assert.ok(host.program.stderr.length < 4_000, `${host.program.stderr.length} characters`);
});

test('events that are no messages, comments and signs of life end a stream as little as they fill the log, and no sooner [A-257]', async () => {
  const kinds = [': alive\n', ': alive\n\n', 'event: ping\ndata: 1\n\n', 'id: 1\n\n', 'retry: 500\n\n', '\n'];
  await using server = await hostile(({ id, params }) => {
    const kind = kinds[Number(params?.name)] ?? '';
    const answer = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`;
    return eventStream(kind, 1_000_000 / kind.length, answer, 500);
  });
  await using home = await bareHome();
  await configure(home, { messageMiB: 1 });
  await using host = startBridge(home, server.url);
  await host.open();
  for (const index of kinds.keys()) {
    const answer = await host.ask({ id: index + 1, method: 'tools/call', params: { name: String(index) } });
    assert.deepEqual(answer.result, {}, JSON.stringify(answer));
  }
  assert.equal(host.program.stderr, '');
});

test('the standing stream: what is no message is told once and counted, and others pass [A-257]', async () => {
  const news = 'data: {"jsonrpc":"2.0","method":"notifications/news"}\n\n';
  await using server = await hostileServer((_asked, http) =>
    http === 'GET' ? eventStream('data: ping\n\n', 2_000, news, 100) : undefined,
  );
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  assert.equal((await host.next()).method, 'notifications/news');
  const lines = host.program.stderr.split('\n').filter((line) => line.includes('no JSON-RPC message'));
  assert.equal(lines.length, 4, host.program.stderr); // 1, 10, 100, 1,000
});

test('a heartbeat before the response of a request is left out, and the response arrives [A-257]', async () => {
  const beats = 'data: {"type":"heartbeat"}\n\ndata: still at it\n\n';
  await using server = await hostile(({ id, params }) =>
    eventStream(beats, 1, params?.name === 'x' ? `data: ${answerOf(id, 60)}\n\n` : ''),
  );
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  assert.equal(await codeOf(host, 1), undefined);
  const lost = await host.ask({ id: 2, method: 'tools/call', params: { name: 'lost' } });
  assert.equal(lost.error?.data?.['code'], 'answer_missing', JSON.stringify(lost));
  assert.equal(host.program.stderr.match(/no JSON-RPC message/g)?.length, 1, host.program.stderr);
  const said = await runHere(home, ['call', server.url, 'x', '--output', 'json']);
  assert.equal(said.code, 0, said.stderr);
  assert.equal(said.stderr.match(/no JSON-RPC message/g)?.length, 1, said.stderr);
});

test('a body in chunks of one byte takes no more memory than one in large pieces [A-257]', async () => {
  const size = 8 * MiB;
  await using server = await hostile(({ id, params }) => {
    const body = answerOf(id, size);
    return params?.name === 'event' ? eventStream(`data: ${body}\n\n`, 1) : inCrumbs(body);
  });
  await using home = await bareHome();
  for (const name of ['json', 'event']) {
    const { line, grown } = await costOf(home, server.url, name);
    assert.equal(line.length, size);
    assert.ok(grown < 64, `${name}: ${grown} MiB more`); // 1,000 MiB and more, when each byte is kept by itself
  }
});

test('64 bodies in chunks of one byte at a time all come, with a heap of 128 MiB [A-257]', async () => {
  const size = MiB / 4;
  await using server = await hostile(({ id }) => inCrumbs(answerOf(id, size)));
  await using home = await bareHome();
  const small = { ...home, env: { ...home.env, NODE_OPTIONS: '--max-old-space-size=128' } };
  await using host = startRawHost(small, server.url);
  const ids = new Set(Array.from({ length: 64 }, (_, index) => index + 1));
  for (const id of ids) await host.write(JSON.stringify({ jsonrpc: '2.0', ...call(id) }));
  while (ids.size > 0) {
    const line = await host.line();
    assert.equal(line.length, size);
    ids.delete(JSON.parse(line.toString()).id);
  }
});

test('an id or a name of 31 MiB costs what its bytes cost, and is nobody’s [A-237] [A-257]', async () => {
  const digits = '7'.repeat(31 * MiB);
  const shapes: Readonly<Record<string, (id: unknown) => string>> = {
    id: () => `{"jsonrpc":"2.0","id":${digits},"result":{}}`,
    text: () => `{"jsonrpc":"2.0","id":"${digits}","result":{}}`,
    method: () => `{"jsonrpc":"2.0","method":"${digits}"}`,
    member: (id) => `{"jsonrpc":"2.0","id":${id},"result":{},"${digits}":1}`,
    requestId: () => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${digits}}}`,
  };
  await using server = await hostile(({ id, params }) =>
    inOnePiece(Buffer.from(shapes[params?.name ?? '']?.(id) ?? '')),
  );
  await using home = await bareHome();
  for (const name of Object.keys(shapes)) {
    const { grown } = await costOf(home, server.url, name);
    assert.ok(grown < 128, `${name}: ${grown} MiB more`); // 1,100 MiB, when it is put together digit by digit
  }
});

test('the limit for a message is the one that is configured, for both sides', async () => {
  await using server = await hostile(({ id }) => inOnePiece(answerOf(id, 1.5 * MiB)));
  await using home = await bareHome();
  await configure(home, { messageMiB: 1 });
  await using host = startBridge(home, server.url);
  await host.open();
  const refused = await host.ask(answerOf('large', 1.5 * MiB));
  assert.match(refused.error?.message ?? '', /larger than 1 MiB/);
  const answer = await host.ask(call(1));
  assert.match(answer.error?.message ?? '', /a message is larger than 1 MiB/);
  await configure(home, { messageMiB: 2 });
  await using other = startBridge(home, server.url);
  await other.open();
  assert.ok((await other.ask(call(1))).result !== undefined);
});

test('of a refusal only its beginning is read: its status is told, not the size of its body', async () => {
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  function* refusal(): Iterable<string> {
    yield 'HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (let count = 0; count < 1024; count += 1) yield chunk;
  }
  await using server = await hostile(refusal);
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  const { error } = await host.ask(call(1));
  assert.match(error?.message ?? '', /responded 500/);
  assert.ok(server.written < 32 * MiB, `${server.written} bytes were taken`);
});
