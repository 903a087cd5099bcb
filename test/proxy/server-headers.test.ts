import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestToken } from '../../src/tokens/credential-target.js';
import { startHttp } from '../support/http-server.js';
import { Secret } from '../support/product.js';
import { ask, mountOf, openStand } from './stand.js';

test('what is kept for the server goes in the place of a caller’s header of that name, however that is sent', async () => {
  const seen: (readonly string[])[] = [];
  await using server = await startHttp((request, response) => {
    seen.push(request.rawHeaders);
    response.end('ok');
  });
  const url = `${server.origin}/mcp`;
  const headers = [{ name: 'X-Api-Key', value: new Secret('ours') }];
  const token = requestToken(url, new Secret('canary-token'), headers);
  await using stand = await openStand(mountOf(url, { current: () => token }));
  const callers: readonly Record<string, string | string[]>[] = [
    {},
    { 'x-api-key': 'theirs' },
    { 'X-API-KEY': ['theirs', 'theirs too'] },
    { X_Api_Key: 'theirs' },
    { 'x-api-key': 'theirs', connection: 'x-api-key' },
    { connection: 'x-api-key, authorization' },
  ];
  for (const caller of callers) {
    const { status } = await ask(stand, stand.at(), {
      method: 'POST',
      headers: { ...caller, 'x-own': '1' },
      body: '{}',
    });
    assert.equal(status, 200);
    const lines = seen.at(-1) ?? [];
    const values = lines.filter((_, at) => at % 2 === 1 && /^x[-_]api[-_]key$/i.test(lines[at - 1] ?? ''));
    assert.deepEqual(values, ['ours'], JSON.stringify(caller));
    assert.ok(lines.includes('Bearer canary-token') && lines.includes('x-own'));
  }
});
