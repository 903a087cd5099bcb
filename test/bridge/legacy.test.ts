import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMachine } from '../support/stage-here.js';
import { bareHome, bridgeOn, olderServer, scriptedServer, startBridge } from './host.js';

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
const opening = { method: 'initialize', params };

test('a server that has only the older transport is spoken to in that', async () => {
  await using server = await olderServer(() => '/messages?session=7');
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  assert.deepEqual((await host.open()).result, { protocolVersion: '2024-11-05' });
  assert.deepEqual((await host.ask({ id: 1, method: 'tools/list', params: { a: 1 } })).result, { echoed: { a: 1 } });
  const paths = server.seen.map(({ method, url, message }) => `${method} ${url} ${message.method ?? ''}`.trim());
  assert.deepEqual(paths, [
    'POST /mcp initialize',
    'GET /mcp',
    'POST /messages?session=7 initialize',
    'POST /messages?session=7 notifications/initialized',
    'POST /messages?session=7 tools/list',
  ]);
  const lost = await host.ask({ id: 2, method: 'hang up' });
  assert.equal(lost.error?.data?.['code'], 'answer_missing');
  assert.equal((await host.ask({ id: 3, method: 'ping' })).error?.data?.['code'], 'session_lost');
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
});

test('[A-159] an address for messages that is not plainly the server’s own is not used, nor asked for anything', async () => {
  let isAsked = (_: 'asked elsewhere') => {};
  const asked = new Promise<'asked elsewhere'>((resolve) => {
    isAsked = resolve;
  });
  await using elsewhere = await scriptedServer((_, response) => {
    isAsked('asked elsewhere');
    response.writeHead(202).end();
  });
  const { host: other, port } = new URL(elsewhere.origin);
  const addresses = (own: string): readonly string[] => [
    `${elsewhere.origin}/messages`,
    `//${other}/messages`,
    `http://localhost:${port}/messages`,
    `https://${own}/messages`,
    `http://user:secret@${own}/messages`,
    `http://user@${own}/messages`,
    `http://${own}@${other}/messages`,
    `http://${own}:80@${other}/messages`,
    `http:\\\\${other}\\messages`,
    '/\\evil',
    '/messages?access_token={token}',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '/messages with spaces',
    '/messages\u0000',
    '',
  ];
  for (const which of addresses('').keys()) {
    await using server = await olderServer((origin) => addresses(new URL(origin).host)[which] ?? '');
    await using machine = await openMachine();
    const bridge = machine.runWith(`${JSON.stringify({ jsonrpc: '2.0', id: 0, ...opening })}\n`, 'bridge', server.url);
    const ended = await Promise.race([bridge, asked]);
    assert.ok(ended !== 'asked elsewhere', addresses('own')[which]);
    const { error } = JSON.parse(ended.stdout);
    const said = `${addresses('own')[which]}: ${JSON.stringify(error)}`;
    assert.ok(error !== undefined, said);
    assert.doesNotMatch(JSON.stringify(error), /secret|passwd|alert/, said);
    assert.deepEqual(
      server.seen.map(({ method, url }) => `${method} ${url}`),
      ['POST /mcp', 'GET /mcp'],
      said,
    );
  }
  assert.equal(elsewhere.seen.length, 0);
});

test('[A-159] what looks like a place for the token in such an address stays what it is: no token is ever in a URL', async () => {
  const endpoint = '/messages?access_token=%7Btoken%7D&bearer=%24TOKEN&authorization=Bearer';
  await using server = await olderServer(() => endpoint);
  await using machine = await openMachine();
  const accessToken = 'canary-token-of-this-login';
  await machine.storeLogin({ server: server.url, accessToken, expiresAt: Date.now() + 3_600_000 });
  await using host = bridgeOn(machine, server.url);
  const opened = await host.open();
  assert.ok(opened.result !== undefined, JSON.stringify(opened));
  await host.ask({ id: 1, method: 'tools/list' });
  const sent = server.seen.filter(({ method, url }) => method === 'POST' && url !== '/mcp');
  assert.ok(sent.length >= 2);
  for (const { url, headers } of sent) {
    assert.equal(url, endpoint);
    assert.equal(headers.authorization, `Bearer ${accessToken}`);
  }
  assert.ok(server.seen.every(({ url }) => !url.includes('canary')));
});
