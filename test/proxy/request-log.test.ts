import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProxiedRequest } from '../../src/proxy/ports.js';
import { startHttp } from '../support/http-server.js';
import { findSecrets } from '../support/secrets-search.js';
import { ask, mountOf, openStand } from './stand.js';

test('each request is told of when it is over: method, path without key and query, status, program', async () => {
  await using server = await startHttp((_request, response) => response.writeHead(201).end('made'));
  const seen: ProxiedRequest[] = [];
  await using stand = await openStand(mountOf(`${server.origin}/mcp`), { log: (request) => void seen.push(request) });
  const query = 'canary-query-0123456789';
  const headers = { 'User-Agent': 'curl/8.5.0', 'X-Key': 'canary-header-0123456789' };
  await ask(stand, `${stand.at('/notes')}?key=${query}`, { method: 'POST', headers, body: 'x' });
  await ask(stand, stand.at());
  await ask(stand, `/${'w'.repeat(43)}/m/other`);
  await ask(stand, stand.at('', 'none'));
  assert.deepEqual(
    seen.map(({ ms: _ms, ...request }) => request),
    [
      { method: 'POST', path: '/m/notes?…', status: 201, program: 'curl/8.5.0', refused: undefined },
      { method: 'GET', path: '/m', status: 201, program: undefined, refused: undefined },
      { method: 'GET', path: undefined, status: 401, program: undefined, refused: 'key_needed' },
      { method: 'GET', path: undefined, status: 404, program: undefined, refused: 'no_such_mount' },
    ],
  );
  assert.ok(seen.every(({ ms }) => ms >= 0));
  const secrets = { key: stand.key, query, header: headers['X-Key'], token: 'canary-token-0' };
  assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { seen: JSON.stringify(seen) } }), []);
});

test('a failure on the way to the server, and a caller who has left, are told of as such', async () => {
  const left = new AbortController();
  await using server = await startHttp((request) => {
    if (request.url === '/mcp/broken') request.socket.destroy();
    else left.abort();
  });
  const seen: ProxiedRequest[] = [];
  let done = () => {};
  const over = new Promise<void>((resolve) => {
    done = resolve;
  });
  const log = (request: ProxiedRequest) => {
    seen.push(request);
    if (seen.length === 2) done();
  };
  await using stand = await openStand(mountOf(`${server.origin}/mcp`), { log });
  await ask(stand, stand.at('/broken'), { method: 'POST' });
  const url = `http://127.0.0.1:${stand.port}${stand.at('/slow')}`;
  await assert.rejects(fetch(url, { signal: left.signal }));
  await over;
  assert.deepEqual(
    seen.map(({ path, status, refused }) => [path, status, refused]),
    [
      ['/m/broken', 502, 'network_failed'],
      ['/m/slow', undefined, undefined],
    ],
  );
});
