import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startOwnServer } from '../support/flows/own-server.js';
import type { Running } from '../support/program.js';
import { type Machine, openMachine } from '../support/stage-here.js';

const esc = '\u001b';

/** Clears the screen, colours it, sets the clipboard and the title: as 7-bit sequences and as their 8-bit form. */
const hostile = 'one\u001b[2J\u001b]52;c;b3du\u0007two\u009b31m\u009d0;owned\u009cthree';
const visible = /one\\x1b\[2J\\x1b\]52;c;b3du\\x07two\\x9b31m\\x9d0;owned\\x9cthree/;

/** Of a spinner: a frame begins and ends, goes back, up, and clears its own line. Nothing of what is hostile is among them. */
const ours = new RegExp(`${esc}\\[(?:\\?2026[hl]|1G|1A|0K)`, 'g');

/** What the terminal got, and what of it could move or colour anything. */
async function shown(machine: Machine, args: readonly string[], begun: (screen: Running) => void = () => undefined) {
  await using at = await machine.atTerminal(...args, '--no-color');
  begun(at.screen);
  const { code, stdout } = await at.screen.finished;
  const rest = stdout.replaceAll(ours, '').replaceAll(/[\r\n\t]/g, '');
  return { code, stdout, controls: rest.match(/\p{Cc}/gu) ?? [] };
}

test('a server’s words in a notification reach a terminal as visible text [A-27]', async () => {
  await using machine = await openMachine();
  await using server = await startOwnServer();
  const notices = [
    { method: 'notifications/message', params: { level: 'error', logger: hostile, data: hostile } },
    { method: 'notifications/message', params: { level: hostile, data: { [hostile]: hostile } } },
    { method: 'notifications/progress', params: { progressToken: 1, progress: 1, total: 2, message: hostile } },
  ];
  let spinning: Promise<unknown> | undefined;
  server.whenAnonymous = async (request, response) => {
    const { id, method } = JSON.parse((await text(request)) || '{}');
    const json = { 'content-type': 'application/json' };
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: 'own', version: '1' },
      };
      return void response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    await spinning;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const notice of notices) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...notice })}\n\n`);
    const result = { content: [{ type: 'text', text: `said ${hostile}` }] };
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  };
  const { code, stdout, controls } = await shown(machine, ['call', server.url, 'echo'], (screen) => {
    spinning = screen.waitForStdout(/\?2026h/);
  });
  assert.equal(code, 0, stdout);
  assert.ok((stdout.match(new RegExp(visible, 'g')) ?? []).length >= 3, stdout);
  assert.deepEqual(controls, [], JSON.stringify(stdout));
});

test('a body, and header values with -i, reach a terminal as visible text, and a header with an ESC reaches nobody [A-27]', async () => {
  await using machine = await openMachine();
  await using server = await startOwnServer();
  await machine.storeLogin({ server: server.url, accessToken: 'token', expiresAt: null });
  let header = 'x';
  server.whenAuthorized = ({ socket }) => {
    const body = Buffer.from(`said ${hostile}`);
    const head = `HTTP/1.1 200 OK\r\nx-said: ${header}\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.end(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  };
  const plain = await shown(machine, ['request', server.url]);
  assert.match(plain.stdout, visible);
  assert.deepEqual(plain.controls, [], JSON.stringify(plain.stdout));
  const ask = () => shown(machine, ['request', server.url, '-i']);
  header = 'one\u009b31mtwo\u009d0;owned\u009c\u0085three';
  const told = await ask();
  assert.equal(told.code, 0, told.stdout);
  assert.match(told.stdout, /x-said: one\\x9b31mtwo\\x9d0;owned\\x9c\\x85three/);
  assert.deepEqual(told.controls, [], JSON.stringify(told.stdout));
  header = `one${esc}[2Jtwo`;
  const refused = await ask();
  assert.notEqual(refused.code, 0);
  assert.deepEqual(refused.controls, [], JSON.stringify(refused.stdout));
});
