import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareHome, event, type ScriptedServer, scriptedServer } from '../bridge/host.js';
import { runHere, startHere } from '../support/in-process.js';
import { metaOf, newerServer, revision } from './newer-server.js';

const methodsOf = ({ seen }: ScriptedServer) => seen.map(({ message }) => message.method);

const newest = ['--protocol', '2026-07-28'];

test('[Q-1.10] a program of the newer era alone is found out by its refusal of initialize, and called in that', async () => {
  const source = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const isNewer = params?._meta?.['${revision}'] === '2026-07-28';
      const known = { 'server/discover': { supportedVersions: ['2026-07-28'], capabilities: {} }, 'x/y': { said: 'yes' } };
      const said = isNewer && known[method] ? { result: known[method] } : { error: { code: -32022, message: 'no',
        data: { supported: ['2026-07-28'], requested: 'older' } } };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...said }) + '\\n');
    });`;
  await using home = await bareHome();
  const script = join(home.path, 'server.cjs');
  await writeFile(script, source);
  const { code, stdout, stderr } = await runHere(home, ['call', 'x/y', '--json', '--', process.execPath, script]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"said":\s*"yes"/);
});

test('[Q-2.11][Q-2.12][Q-2.13][Q-4.11][Q-5.8] JSON and event streams are taken; each body is one request of an own id, which offers what is there and no more', async () => {
  await using server = await scriptedServer(({ message: { id, method } }, response) => {
    const isDiscovery = method === 'server/discover';
    const result = isDiscovery
      ? { supportedVersions: ['2026-07-28'], capabilities: { logging: {} } }
      : { resultType: 'complete', prompts: [] };
    response.writeHead(200, { 'content-type': isDiscovery ? 'application/json' : 'text/event-stream' });
    const message = { jsonrpc: '2.0', id, result };
    response.end(isDiscovery ? JSON.stringify(message) : `: alive\n\n${event(message)}`);
  });
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'prompts/list', '--elicitation', 'defaults']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(methodsOf(server), ['server/discover', 'prompts/list']);
  for (const { body, headers, ...seen } of server.seen) {
    assert.equal(headers.accept, 'application/json, text/event-stream');
    const sent = JSON.parse(body.toString());
    assert.ok(!Array.isArray(sent) && sent.result === undefined && Number.isInteger(sent.id));
    const meta = metaOf({ body, headers, ...seen });
    const offered = Object.keys(meta['io.modelcontextprotocol/clientCapabilities'] ?? {});
    assert.deepEqual(
      offered.filter((name) => name !== 'elicitation' && name !== 'extensions'),
      [],
    );
    assert.equal(meta['io.modelcontextprotocol/logLevel'], undefined, 'nobody asked for a log');
  }
  assert.equal(new Set(server.seen.map(({ message }) => message.id)).size, 2);
});

test('[Q-2.15] 404 with -32601 is a method that the server does not have, and no server of the oldest transport', async () => {
  await using server = await newerServer(() => ({ error: { code: -32601, message: 'No such method' }, status: 404 }));
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'x/y']);
  assert.equal(code, 8, stderr);
  assert.match(stderr, /-32601/);
  assert.deepEqual(
    server.seen.map(({ method, message }) => [method, message.method]),
    [
      ['POST', 'server/discover'],
      ['POST', 'tools/list'],
      ['POST', 'x/y'],
    ],
  );
});

test('[Q-3.3] a stream that breaks off loses its request, which is not sent again', async () => {
  await using server = await scriptedServer(({ message: { id } }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id } }, 'e1'));
    setTimeout(() => response.destroy(), 20);
  });
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'x/y', ...newest]);
  assert.equal(code, 6, stderr);
  assert.match(stderr, /closed the connection/);
  assert.deepEqual(
    server.seen.map(({ method }) => method),
    ['POST'],
  );
});

test('[Q-4.5][Q-5.6] no result is kept for the next command, however long the server says that it holds', async () => {
  const contents = [{ uri: 'file:///a', text: 'now' }];
  await using server = await newerServer(() => ({
    result: { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public', contents },
  }));
  await using home = await bareHome();
  for (const _ of [1, 2]) {
    const { code, stderr } = await runHere(home, ['call', server.url, 'resources/read', 'file:///a', ...newest]);
    assert.equal(code, 0, stderr);
  }
  assert.deepEqual(methodsOf(server), ['resources/read', 'resources/read']);
});

test('[Q-5.7] an empty cursor is one, and only a page without any is the last', async () => {
  await using server = await newerServer(({ params }) => {
    const { cursor } = params ?? {};
    if (cursor === undefined) return { result: { prompts: [{ name: 'first' }], nextCursor: '' } };
    return { result: { prompts: [{ name: cursor === '' ? 'second' : 'wrong' }] } };
  });
  await using home = await bareHome();
  const { stdout, stderr } = await runHere(home, ['call', server.url, 'prompts/list', '--json', ...newest]);
  assert.match(stdout, /first[\s\S]*second/, stderr);
  assert.equal(server.seen.length, 2);
});

test('[Q-5.2] a server that agrees to tell nothing is named so, and not watched in vain without a word', async () => {
  await using server = await scriptedServer(({ message: { id, method } }, response) => {
    const isListened = method === 'subscriptions/listen';
    const result = { supportedVersions: ['2026-07-28'], capabilities: {} };
    response.writeHead(200, { 'content-type': isListened ? 'text/event-stream' : 'application/json' });
    const params = { notifications: {} };
    if (isListened)
      response.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }));
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await using home = await bareHome();
  await using watching = startHere(home, ['call', server.url, '--watch']);
  await watching.waitForStderr(/The server has agreed to tell nothing of what was asked for\./);
  watching.kill('SIGINT');
  assert.equal((await watching.finished).code, 130);
});
