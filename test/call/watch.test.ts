import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import fc from 'fast-check';
import { notificationLine } from '../../src/call/render.js';
import { parseObject } from '../../src/core/text/json.js';
import { bareHome, event, requestOf, type Seen, scriptedServer, usual } from '../bridge/host.js';
import { anyText } from '../support/arbitraries.js';
import { runHere, startHere } from '../support/in-process.js';

const changed = (list: string) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });

const stream = { 'content-type': 'text/event-stream' };

test('--watch prints a line for each notification, resumes a broken stream after its last event, and ends with 130', async () => {
  let streams = 0;
  await using server = await scriptedServer((seen, response) => {
    if (seen.method !== 'GET') {
      usual(seen, response, 'one');
      return;
    }
    streams += 1;
    response.writeHead(200, stream);
    if (streams === 1) response.end(`retry: 50\n${event(changed('tools'), 'e1')}`);
    else {
      const data = { level: 'warning', logger: 'db', data: 'slow \u001b[31m' };
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: data }, 'e2'));
    }
  });
  await using home = await bareHome();
  await using program = startHere(home, ['call', server.url, '--watch', 'file:///x']);
  await program.waitForStdout(/log warning/);
  program.kill('SIGINT');
  const { code, stdout, stderr } = await program.finished;
  assert.equal(code, 130, stderr);
  assert.match(
    stdout,
    /^\d\d:\d\d:\d\d {2}list of tools changed\n\d\d:\d\d:\d\d {2}log warning {2}db: "slow \\x1b\[31m"\n$/,
  );
  const asked = server.seen.filter(({ method }) => method === 'GET');
  assert.deepEqual(
    asked.map(({ headers }) => headers['last-event-id']),
    [undefined, 'e1'],
  );
  assert.equal(
    server.seen.find(({ message }) => message.method === 'resources/subscribe')?.message.params?.['uri'],
    'file:///x',
  );
});

test('--watch opens a session that the server has lost again, with its subscriptions, and tells it in JSON lines', async () => {
  let sessions = 0;
  const isOf = ({ headers }: Seen, number: number) => headers['mcp-session-id'] === `s${number}`;
  let open: ServerResponse | undefined;
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method === 'initialize') sessions += 1;
    if (seen.method !== 'GET') usual(seen, response, `s${sessions}`);
    else if (isOf(seen, 1) && open !== undefined) response.writeHead(404).end();
    else {
      open = response.writeHead(200, stream);
      response.write(`retry: 50\n${event(changed(isOf(seen, 1) ? 'tools' : 'prompts'))}`);
      if (isOf(seen, 1)) response.end();
    }
  });
  await using home = await bareHome();
  await using program = startHere(home, ['call', server.url, '--watch', 'file:///x', '--json']);
  await program.waitForStdout(/prompts/);
  await requestOf(server, (seen) => isOf(seen, 2) && seen.message.method === 'resources/subscribe');
  program.kill('SIGINT');
  const { stdout } = await program.finished;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ method }) => method),
    ['notifications/tools/list_changed', 'notifications/prompts/list_changed'],
  );
  assert.ok(lines.every(({ time }) => /^\d{4}-\d\d-\d\dT.*Z$/.test(time)));
});

test('a server that falls silent is noticed by a ping, told, and watched again once it answers', async () => {
  let isStopped = false;
  let pings = 0;
  await using server = await scriptedServer((seen, response) => {
    if (isStopped) return; // the connection stands, and nothing comes
    if (seen.message.method === 'ping') {
      pings += 1; // it knows none, and is there
      const error = { code: -32601, message: 'no such method' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: seen.message.id, error }));
    } else if (seen.method !== 'GET') usual(seen, response, 'one');
    else response.writeHead(200, stream).write(event(changed('tools')));
  });
  await using home = await bareHome();
  const words = ['call', server.url, '--watch', '--ping', '2', '--timeout', '2'];
  await using program = startHere(home, words);
  await program.waitForStdout(/tools changed/);
  while (pings < 2) await later(50);
  assert.doesNotMatch(program.stderr, /lost/, 'whoever answers is there');
  isStopped = true;
  await program.waitForStderr(
    /The connection was lost \(.* did not answer a ping within 2 seconds\); it is opened again/,
  );
  await program.waitForStderr(/lost \(No response to "initialize" within 2 second/);
  isStopped = false;
  await program.waitForStderr(/Watching again/);
  await program.waitForStdout(/tools changed[\s\S]*tools changed/);
  program.kill('SIGINT');
  assert.equal((await program.finished).code, 130, program.stderr);
});

test('a silent program behind “--” ends the watch with the network’s exit code', async () => {
  const source = `process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).trim().split('\\n')) {
      const { id, method, params } = JSON.parse(line);
      if (method !== 'initialize') continue;
      const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 't', version: '1' } };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    }
  });`;
  await using home = await bareHome();
  const server = [process.execPath, '-e', source];
  const { code, stderr } = await runHere(home, ['call', '--watch', '--ping', '1', '--', ...server]);
  assert.equal(code, 6, stderr);
  assert.match(stderr, /1 second[\s\S]*peer_silent/);
});

test('a server without a stream is not watched', async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response));
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, '--watch']);
  assert.equal(code, 8);
  assert.match(stderr, /stream of notifications/);
});

test('whatever a notification holds, it is one harmless line', () => {
  const method = fc.oneof(
    fc.constantFrom(...['message', 'resources/updated', 'progress', 'tasks'].map((one) => `notifications/${one}`)),
    anyText(),
  );
  const params = fc.dictionary(fc.constantFrom('level', 'logger', 'data', 'uri', 'status', 'x'), fc.jsonValue());
  fc.assert(
    fc.property(method, params, (name, given) => {
      const received = parseObject(JSON.stringify(given)) ?? assert.fail();
      const line = notificationLine(name, received);
      assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}]/u);
      assert.ok(line.length < 3_000);
    }),
  );
});

test('a server of the older transport is watched, too, and connected to again when its stream ends', async () => {
  const { createServer } = await import('node:http');
  let streams = 0;
  let open: ServerResponse | undefined;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      streams += 1;
      open = response.writeHead(200, stream);
      response.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      if (request.url !== '/messages') {
        response.writeHead(405).end();
        return;
      }
      response.writeHead(202).end();
      const { id, method } = JSON.parse(text);
      const said = (message: object) => open?.write(`event: message\n${event(message)}`);
      if (method === 'initialize') said({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05' } });
      if (method === 'notifications/initialized') {
        said(changed(streams === 1 ? 'tools' : 'prompts'));
        if (streams === 1) setTimeout(() => open?.end(), 100);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await using home = await bareHome();
  await using program = startHere(home, ['call', `http://127.0.0.1:${port}/mcp`, '--watch']);
  await program.waitForStdout(/list of tools changed\n[^\n]*list of prompts changed/);
  program.kill('SIGINT');
  const { code, stderr } = await program.finished;
  server.closeAllConnections();
  server.close();
  assert.equal(code, 130);
  assert.match(stderr, /older transport[\s\S]*opened again/);
});
