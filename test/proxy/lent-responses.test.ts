import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ToolPolicy, type ToolRules } from '../../src/mcp/lending/tool-policy.js';
import { startHttp } from '../support/http-server.js';
import { ask, mountOf, open, openStand } from './stand.js';

const lent = (server: string, rules: Partial<ToolRules>) => ({
  ...mountOf(server),
  policy: new ToolPolicy({ allowTool: [], denyTool: [], readOnly: false, ...rules }, () => undefined),
});

const json = { 'content-type': 'application/json' };

const listing = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' });

const call = (name: string) => JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name } });

const tools = [{ name: 'read_note', annotations: { readOnlyHint: true } }, { name: 'delete_note' }];

test('what a status says reaches the caller where the body is words: a session that is over, a message that is taken', async () => {
  const said: readonly (readonly [status: number, body: string, passed: string])[] = [
    [404, 'Session not found', 'Session not found'],
    [202, 'Accepted', 'Accepted'],
    [400, '<p>{no}</p>', '<p>{no}</p>'],
    [404, 'no such thing: {"result":{"tools":[{"name":"delete_note"}]}}', 'response_not_lent'],
    [200, 'no list: {"result":{"tools":[{"name":"delete_note"}]}}', 'response_not_lent'],
  ];
  for (const [status, body, passed] of said) {
    await using server = await startHttp((_, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    });
    await using stand = await openStand(lent(`${server.origin}/mcp`, { denyTool: ['delete_note'] }));
    const response = await ask(stand, stand.at(), { method: 'POST', headers: json, body: listing(1) });
    assert.equal(response.status, status === 200 ? 502 : status, body);
    assert.match(String(response.body), new RegExp(passed), body);
    assert.doesNotMatch(String(response.body), /delete_note/);
  }
});

test('an answer without end is not waited for: it is cut where it is too large [A-253]', async () => {
  let isCut: () => void = () => undefined;
  const cut = new Promise<void>((resolve) => {
    isCut = resolve;
  });
  await using server = await startHttp((_, response) => {
    response.on('close', isCut).writeHead(200, json);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
    };
    response.on('drain', more);
    more();
  });
  await using stand = await openStand(lent(`${server.origin}/mcp`, { denyTool: ['delete_note'] }));
  const { status, body } = await ask(stand, stand.at(), { method: 'POST', headers: json, body: listing(1) });
  assert.equal(status, 502);
  assert.match(String(body), /response_not_lent/);
  await cut;
});

test('many large messages at a time do not fill the memory: some are refused, and the room is given back [A-253]', async () => {
  await using server = await startHttp((request, response) => {
    request.resume().on('end', () => response.writeHead(202).end());
  });
  const limits = { headMs: 20_000, silenceMs: null, heldBodies: 100_000 };
  await using stand = await openStand(lent(`${server.origin}/mcp`, { denyTool: ['delete_note'] }), { limits });
  const half = Buffer.alloc(30_000, ' ');
  half.write('{"jsonrpc":"2.0","method":"notifications/x"');
  const waiting = Array.from({ length: 5 }, () => {
    const head = `POST ${stand.at()} HTTP/1.1\r\nhost: 127.0.0.1:${stand.port}\r\ncontent-type: application/json\r\n`;
    const socket = connect(stand.port, '127.0.0.1', () => {
      socket.write(`${head}content-length: 30001\r\n\r\n`);
      socket.write(half);
    });
    let text = '';
    socket
      .on('error', () => undefined)
      .on('data', (piece) => {
        text += piece;
      });
    return { socket, said: () => text };
  });
  const refused = () => waiting.filter(({ said }) => said().startsWith('HTTP/1.1 503'));
  for (let waited = 0; refused().length < 2 && waited < 2_000; waited += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(refused().length >= 2, 'three have room');
  for (const { socket } of waiting) socket.write('}');
  for (const { said, socket } of waiting) {
    for (let waited = 0; said() === '' && waited < 2_000; waited += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.match(said(), /^HTTP\/1\.1 (?:202|503)/);
    socket.destroy();
  }
  const again = await ask(stand, stand.at(), { method: 'POST', headers: json, body: listing(1) });
  assert.equal(again.status, 202);
});

test('an answer that breaks off is told as that, though some of it had come', async () => {
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { ...json, 'content-length': 100 }).write('{"jsonrpc"', () => response.destroy());
  });
  await using stand = await openStand(lent(`${server.origin}/mcp`, { denyTool: ['delete_note'] }));
  const { status, body } = await ask(stand, stand.at(), { method: 'POST', headers: json, body: listing(1) });
  assert.equal(status, 502);
  assert.doesNotMatch(String(body), /response_not_lent/);
});

test('a server of the older transport: its address for messages is lent, and its list is learned and cut', async () => {
  const posted: string[] = [];
  let stream: ServerResponse | undefined;
  await using server = await startHttp((request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /sse/message?sessionId=1\n\n');
      return;
    }
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const { id, method } = JSON.parse(text) as { id: unknown; method: string };
      posted.push(method);
      response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
      const result = method === 'tools/list' ? { tools } : { done: true };
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
  });
  await using stand = await openStand(lent(`${server.origin}/sse`, { readOnly: true }));
  const events = await open(stand, stand.at());
  let heard = '';
  events.setEncoding('utf8').on('data', (piece: string) => {
    heard += piece;
  });
  const until = async (what: RegExp) => {
    for (let waited = 0; !what.test(heard) && waited < 1_000; waited += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.match(heard, what);
  };
  await until(/data: (\S+)/);
  const address = /data: (\S+)/.exec(heard)?.[1] ?? '';
  const post = (body: string) => ask(stand, address, { method: 'POST', headers: json, body });
  assert.equal((await post(listing(7))).status, 202);
  await until(/"tools"/);
  assert.match(heard, /read_note/);
  assert.doesNotMatch(heard, /delete_note/);
  assert.match(String((await post(call('delete_note'))).body), /-31013/);
  assert.equal(String((await post(call('read_note'))).body), 'Accepted');
  await until(/done/);
  assert.deepEqual(posted, ['tools/list', 'tools/call']);
  events.destroy();
});
