import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { request as ask } from 'node:http';
import { join } from 'node:path';
import { it } from 'node:test';
import { openStatusPage } from '../../src/fleet/status-page.js';
import { listen } from '../../src/proxy/listen.js';
import { temporaryFolder } from '../support/temporary.js';

const view = (isStoreThere = true) => ({ isLeader: true, isStoreThere, states: [] });
const clock = { now: () => 0 };

function get(
  where: object,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    const sent = ask({ ...where, path, headers, method, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    sent.on('error', reject).end();
  });
}

it('only this machine, by its own names, and no web page reads the metrics', async () => {
  let isThere = true;
  await using page = await openStatusPage(() => view(isThere), { clock, listen, where: { port: 0 } });
  const { port } = new URL(page.origin);
  assert.equal(new URL(page.origin).hostname, '127.0.0.1');
  const where = { host: '127.0.0.1', port };
  const [status, text] = await get(where, '/metrics');
  assert.equal(status, 200);
  assert.match(text, /^postern_keeper_leader 1$/m);
  assert.deepEqual(await get(where, '/healthz'), [200, 'ok, leading\n']);
  assert.equal((await get(where, '/metrics', { host: `localhost:${port}` }))[0], 200);
  assert.equal((await get(where, '/metrics', { host: 'evil.example' }))[0], 421);
  assert.equal((await get(where, '/metrics', { host: `evil.example:${port}` }))[0], 421);
  assert.equal((await get(where, '/metrics', { origin: page.origin }))[0], 403);
  assert.equal((await get(where, '/metrics', { 'sec-fetch-site': 'cross-site' }))[0], 403);
  assert.equal((await get(where, '/metrics', {}, 'POST'))[0], 405);
  assert.equal((await get(where, '/metrics?x'))[0], 404);
  assert.equal((await get(where, '/'))[0], 404);
  assert.deepEqual(await get(where, '/metrics', {}, 'HEAD'), [200, '']);
  isThere = false;
  assert.deepEqual(await get(where, '/healthz'), [503, 'the store is out of reach, leading\n']);
});

it('a socket is its owner’s alone, and gone at the end', { skip: process.platform === 'win32' }, async () => {
  await using folder = await temporaryFolder();
  const socket = join(folder.path, 'keeper.sock');
  {
    await using _page = await openStatusPage(() => view(), { clock, listen, where: { socket } });
    assert.equal((await stat(socket)).mode & 0o777, 0o600);
    assert.deepEqual(await get({ socketPath: socket, host: 'localhost' }, '/healthz'), [200, 'ok, leading\n']);
  }
  await assert.rejects(stat(socket));
});

it('a port that is taken is named, with the option that is this command’s', async () => {
  await using page = await openStatusPage(() => view(), { clock, listen, where: { port: 0 } });
  const port = Number(new URL(page.origin).port);
  await assert.rejects(
    openStatusPage(() => view(), { clock, listen, where: { port } }),
    { code: 'proxy_port_in_use', remedy: /--listen/ },
  );
});
