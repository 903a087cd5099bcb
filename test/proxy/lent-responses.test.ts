import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startHttp } from '../support/http-server.js';
import { ToolPolicy, type ToolRules } from '../support/product.js';
import { ask, mountOf, openStand } from './stand.js';

const lent = (server: string, rules: Partial<ToolRules>) => ({
  ...mountOf(server),
  policy: new ToolPolicy({ allowTool: [], denyTool: [], readOnly: false, ...rules }, () => undefined),
});

const json = { 'content-type': 'application/json' };

const listing = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' });

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
