import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Running, runProtected } from './protected.js';
import { sendRaw } from './raw.js';
import { initialize, post } from './session.js';

const json = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
] as const;

/** Status and challenge for a POST of `initialize` with these Authorization lines. */
async function answered(running: Running, values: readonly string[]): Promise<readonly [number, string]> {
  const lines = values.map((value) => ['authorization', value] as const);
  const about = { method: 'POST', body: JSON.stringify(initialize) };
  const { status, headers } = await sendRaw(running.url, [...json, ...lines], about);
  return [status, String(headers['www-authenticate'] ?? '')];
}

test('[R-4.7b] [R-2.4b] [R-7.1] [A-284] a request without a token gets a bare challenge that carries scope', async () => {
  await using running = await runProtected();
  const bare = `Bearer scope="mcp:basic", resource_metadata="${running.origin}/.well-known/oauth-protected-resource/mcp"`;
  for (const values of [[], ['Basic YTpi'], ['Bearer'], ['Bearer   '], ['Token abc'], ['']]) {
    assert.deepEqual(await answered(running, values), [401, bare], String(values));
  }
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
    const response = await fetch(running.url, { method });
    assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, bare], method);
  }
});

test('[A-284] the scheme is read in any case, and spaces around the token do not count', async () => {
  await using running = await runProtected();
  const token = await running.token();
  for (const value of [`bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`, `Bearer ${token}  `]) {
    assert.deepEqual(await answered(running, [value]), [200, '']);
  }
});

test('[R-4.1b] [R-7.1] [A-284] a token in the query is refused, with a right one in the header too', async () => {
  await using running = await runProtected();
  const token = await running.token();
  for (const header of [undefined, token]) {
    const response = await post(`${running.url}?access_token=${token}`, header, initialize);
    assert.equal(response.status, 400);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_request"/);
    assert.equal((await response.text()).includes(token), false);
  }
  assert.equal(running.server.sessionCount, 0);
});

test('[R-7.1] [A-284] two Authorization headers are a bad request', async () => {
  await using running = await runProtected();
  const token = await running.token();
  for (const second of [`Bearer ${token}`, 'Basic YTpi']) {
    const [status, challenge] = await answered(running, [`Bearer ${token}`, second]);
    assert.equal(status, 400);
    assert.match(challenge, /^Bearer error="invalid_request"/);
  }
});

test('[A-284] a token in the body is none', async () => {
  await using running = await runProtected();
  const access_token = await running.token();
  const form = await fetch(running.url, { method: 'POST', body: new URLSearchParams({ access_token }) });
  assert.equal(form.status, 401);
  const inside = await post(running.url, undefined, { ...initialize, access_token });
  assert.equal(inside.status, 401);
  assert.equal(inside.headers.get('www-authenticate')?.includes('error='), false);
});
