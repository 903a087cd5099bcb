import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHomeWithKey } from '../support/home.js';
import { needs } from '../support/needs.js';
import { startCommand, startProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { authorizationUrl, claimsOf, listenForCallback, registerNative, tokenRequest, verifier } from './client.js';

test('--approve: an authorization request is answered with the code at once, without pages and cookies', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using callback = await listenForCallback();
  const clientId = await registerNative(sandbox);
  const request = { client_id: clientId, redirect_uri: callback.redirectUri };
  const response = await fetch(authorizationUrl(sandbox, request), { redirect: 'manual' });
  assert.equal(response.status, 302);
  const to = new URL(response.headers.get('location') ?? '');
  assert.equal(`${to.origin}${to.pathname}`, callback.redirectUri);
  assert.equal(to.searchParams.get('state'), 'our state');
  assert.deepEqual(callback.seen, [], 'the one who asked goes there, and nobody else');
  const { json } = await tokenRequest(sandbox, {
    grant_type: 'authorization_code',
    code: to.searchParams.get('code'),
    client_id: clientId,
    redirect_uri: callback.redirectUri,
    code_verifier: verifier,
  });
  assert.equal(claimsOf(json['access_token'])['sub'], 'alice');
  assert.equal(json['scope'], 'mcp:basic notes:read');
});

test('--approve: what is wrong is still refused, and without --approve a page asks', async () => {
  await using sandbox = await startSandbox({ approve: true });
  const wrong = authorizationUrl(sandbox, { client_id: 'nobody', redirect_uri: 'http://127.0.0.1:1/callback' });
  const refused = await fetch(wrong, { redirect: 'manual' });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /This login cannot go on/);

  await using asking = await startSandbox();
  const request = { client_id: await registerNative(asking), redirect_uri: 'http://127.0.0.1:1/callback' };
  const asked = await fetch(authorizationUrl(asking, request), { redirect: 'manual' });
  assert.match(asked.headers.get('location') ?? '', /^\/?(http:\/\/127\.0\.0\.1:\d+)?\/interaction\//);
});

test('--approve: curl alone ends a login at the printed address', { skip: needs('curl') }, async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await makeHomeWithKey();

  await using login = startProgram(home, ['login', sandbox.serverUrl, '--no-browser', '--store', 'file']);
  const [, address = ''] = await login.waitForStderr(/(http\S+response_type=code\S*)/);
  await using curl = startCommand('curl', ['-sL', address], home);
  assert.equal((await curl.finished).code, 0);
  assert.equal((await login.finished).code, 0, login.stderr);
});
