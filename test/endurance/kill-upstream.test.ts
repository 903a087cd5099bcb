import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, ask } from '../proxy/stand.js';
import { freePort } from '../support/free-port.js';
import { type Home, makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { type Running, startCommand, startProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { rounds } from './expiry.js';

const kills = rounds('POSTERN_ENDURANCE_PROXY_KILLS', 3, 50);

/** A server that takes tokens from a number on, answers slowly, and in pieces. */
const upstreamScript = `
  const [port, least] = process.argv.slice(1).map(Number);
  require('node:http').createServer((request, response) => {
    const [, number] = /^Bearer access-(\\d+)$/.exec(request.headers.authorization ?? '') ?? [];
    request.resume().on('end', () => {
      if (!(Number(number) >= least)) return response.writeHead(401).end();
      if (request.headers.accept === 'text/event-stream') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\\n\\n');
        setInterval(() => response.write('data: 2\\n\\n'), 5);
      } else setTimeout(() => response.end('fine'), Math.random() * 20);
    });
  }).listen(port, '127.0.0.1', () => console.log('listens'));
`;

/** Hands out token after token of a second's life; each refresh token is good for one, and whoever sends an old one has lost the login. */
async function startRotation() {
  const state = { current: 0, lost: 0 };
  const server = await startHttp(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const sent = new URLSearchParams(text).get('refresh_token');
    await wait(Math.random() * 60);
    response.setHeader('content-type', 'application/json');
    if (sent !== `refresh-${state.current}`) {
      state.lost += 1;
      response.writeHead(400).end('{"error":"invalid_grant"}');
      return;
    }
    state.current += 1;
    const next = { access_token: `access-${state.current}`, refresh_token: `refresh-${state.current}` };
    response.end(JSON.stringify({ ...next, token_type: 'Bearer', expires_in: 1 }));
  });
  return { server, state };
}

async function startUpstream(home: Home, port: number, least: number): Promise<Running> {
  const upstream = startCommand(process.execPath, ['-e', upstreamScript, String(port), String(least)], home);
  await upstream.waitForStdout(/listens/);
  return upstream;
}

test(`[A-225] SIGKILL of the server behind a proxy at ${kills} random moments, some while its token is refreshed: no login is lost`, {
  skip: needs('gnome-keyring', 'secret-tool'),
}, async () => {
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  const { server: authority, state } = await startRotation();
  await using _authority = authority;
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/mcp`;
  const refresh = { token: 'refresh-0', endpoint: `${authority.origin}/token` };
  await storeLogin(home, { server: address, accessToken: 'access-0', expiresAt: 0, refresh });
  await using proxy = startProgram(home, ['proxy', address, '--non-interactive']);
  const [text] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
  const local = new URL(text);
  const send = (method: string, body?: Uint8Array, headers = {}): Promise<Answer> =>
    ask({ port: Number(local.port) }, local.pathname, { method, headers, ...(body && { body }) });
  const began = performance.now();
  for (let round = 0; round < kills; round += 1) {
    const least = state.current;
    await using upstream = await startUpstream(home, port, least);
    const sent = [
      send('GET'),
      send('GET', undefined, { accept: 'text/event-stream' }),
      send('POST', Buffer.from('{}')),
      send('PUT', Buffer.alloc(300_000)),
      send('PUT', Buffer.alloc(3_000_000)),
    ].map((answer) => answer.then(({ status }) => status).catch(() => 0));
    await wait(Math.random() * 150);
    upstream.kill('SIGKILL');
    await upstream.finished;
    for (const status of await Promise.all(sent)) assert.ok([0, 200, 401, 502].includes(status), `${status}`);
    await using again = await startUpstream(home, port, least);
    let answer = await send('POST', Buffer.from('{}'));
    // A failed refresh is not tried again at once.
    for (let look = 0; answer.status !== 200 && look < 50; look += 1) {
      await wait(100);
      answer = await send('POST', Buffer.from('{}'));
    }
    assert.deepEqual([answer.status, answer.body], [200, 'fine'], proxy.stderr);
    again.kill('SIGKILL');
    await again.finished;
    assert.equal(state.lost, 0, 'no refresh token was sent twice');
  }
  // A token is used for three quarters of its second, and asked for several times a second.
  const seconds = (performance.now() - began) / 1_000;
  assert.ok(state.current >= Math.max(1, Math.floor(seconds / 3)), 'it was refreshed again and again');
  proxy.kill('SIGTERM');
  assert.equal((await proxy.finished).code, 0);
  const held = startProgram(home, ['token', address]);
  assert.equal((await held.finished).stdout.trim(), `access-${state.current}`);
  const locks = await readdir(`${home.path}/state/postern/locks`);
  assert.deepEqual(
    locks.filter((name) => !name.endsWith('.lock')),
    [],
  );
});
