import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { walkLogin } from '../../support/product.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import {
  authorizationUrl,
  type Callback,
  type Changes,
  listenForCallback,
  loggedIn,
  registerNative,
  tokenRequest,
} from '../client.js';

let sandbox: Sandbox;
let callback: Callback;
let clientId: string;

before(async () => {
  sandbox = await startSandbox();
  callback = await listenForCallback();
  clientId = await registerNative(sandbox);
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

function ask(changes: Changes): Promise<Response> {
  const request = { client_id: clientId, redirect_uri: callback.redirectUri, ...changes };
  return fetch(authorizationUrl(sandbox, request), { redirect: 'manual' });
}

test('[Q-6.5] [R-1.8a] [R-1.8c] [A-287] a registered public client logs in; code, state and iss come back', async () => {
  const { answer, redemption } = await loggedIn(sandbox, callback, clientId);
  assert.equal(answer.get('state'), 'our state');
  assert.equal(answer.get('iss'), sandbox.issuer);
  const { status, json } = await tokenRequest(sandbox, redemption);
  assert.equal(status, 200);
  assert.equal(json['token_type'], 'Bearer');
});

test('[R-5.8f] [A-278] an unknown client or a wrong redirect URI gets a page and no redirect', async () => {
  for (const changes of [
    { client_id: 'nobody' },
    { client_id: null },
    { redirect_uri: 'https://evil.invalid/callback' },
    { redirect_uri: null },
  ]) {
    const response = await ask(changes);
    assert.equal(response.status, 400);
    assert.equal(response.headers.get('location'), null);
    assert.match(await response.text(), /This login cannot go on/);
  }
});

test('[R-4.5a] [A-277] a redirect URI is the registered one but for the port of a loopback literal', async () => {
  const port = new URL(callback.redirectUri).port;
  for (const wrong of [
    `http://127.0.0.1.evil.invalid:${port}/callback`,
    `http://127.0.0.1@evil.invalid:${port}/callback`,
    `http://evil@127.0.0.1:${port}/callback`,
    `http://127.0.0.1:${port}/callback/`,
    `http://127.0.0.1:${port}/callback?x=1`,
    `http://127.0.0.1:${port}/CALLBACK`,
    `http://127.0.0.1:${port}/a/../callback`,
    `http://127.0.0.1:${port}/callback#f`,
    `http://localhost:${port}/callback`,
    `http://[::1]:${port}/callback`,
    `https://127.0.0.1:${port}/callback`,
    `HTTP://127.0.0.1:${port}/callback`,
  ]) {
    const response = await ask({ redirect_uri: wrong });
    assert.deepEqual([response.status, response.headers.get('location')], [400, null], wrong);
  }
  for (const right of ['http://127.0.0.1/callback', 'http://127.0.0.1:1/callback']) {
    assert.equal((await ask({ redirect_uri: right })).status, 303, right);
  }
});

test('[R-4.5a] [A-277] localhost is no loopback literal: its port is pinned; so is every port when that is asked for', async () => {
  await using strict = await startSandbox({ loopbackPorts: 'exact' });
  const named = await registerNative(sandbox, { redirect_uris: ['http://localhost:5000/callback'] });
  const pinned = await registerNative(strict, { redirect_uris: ['http://127.0.0.1:5000/callback'] });
  const statusOf = async (at: Sandbox, client: string, uri: string): Promise<number> =>
    (await fetch(authorizationUrl(at, { client_id: client, redirect_uri: uri }), { redirect: 'manual' })).status;
  assert.equal(await statusOf(sandbox, named, 'http://localhost:5000/callback'), 303);
  assert.equal(await statusOf(sandbox, named, 'http://localhost:5001/callback'), 400);
  assert.equal(await statusOf(strict, pinned, 'http://127.0.0.1:5000/callback'), 303);
  assert.equal(await statusOf(strict, pinned, 'http://127.0.0.1:5001/callback'), 400);
});

test('[Q-6.5] [A-278] [A-281] [A-287] every other bad request goes back to the client with error, state and iss', async () => {
  const cases: readonly (readonly [Changes, string])[] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: null }, 'invalid_request'],
    [{ code_challenge: 'x'.repeat(42) }, 'invalid_request'],
    [{ scope: ['mcp:basic', 'notes:read'] }, 'invalid_request'],
    [{ resource: null }, 'invalid_target'],
    [{ resource: 'https://another.invalid/mcp' }, 'invalid_target'],
    [{ resource: `${sandbox.serverUrl}#a` }, 'invalid_target'],
    [{ resource: '/mcp' }, 'invalid_target'],
    [{ resource: 'javascript:alert(1)' }, 'invalid_target'],
    [{ resource: [sandbox.serverUrl, 'https://another.invalid/mcp'] }, 'invalid_target'],
    [{ prompt: 'none' }, 'login_required'],
  ];
  for (const [changes, error] of cases) {
    const response = await ask(changes);
    const location = new URL(response.headers.get('location') ?? 'http://no.location.invalid');
    const label = JSON.stringify(changes);
    // A response type that answers in the fragment is refused there, too.
    const answer = new URLSearchParams(location.hash === '' ? location.search : location.hash.slice(1));
    assert.equal(`${location.origin}${location.pathname}`, callback.redirectUri, label);
    assert.equal(answer.get('error'), error, label);
    assert.equal(answer.get('state'), 'our state', label);
    assert.equal(answer.get('iss'), sandbox.issuer, label);
    assert.equal(answer.has('code'), false, label);
  }
});

test('[A-287] a person who denies sends access_denied back, with state and iss', async () => {
  const { answer } = await loggedIn(sandbox, callback, clientId, {}, { decision: 'deny' });
  assert.equal(answer.get('error'), 'access_denied');
  assert.equal(answer.get('state'), 'our state');
  assert.equal(answer.get('iss'), sandbox.issuer);
  assert.equal(answer.get('code'), null);
});

test('consent can narrow the scope, and no scope at all means the basic one', async () => {
  const narrowed = await loggedIn(sandbox, callback, clientId, {}, { scopes: ['notes:read'] });
  assert.equal((await tokenRequest(sandbox, narrowed.redemption)).json['scope'], 'notes:read');
  const unasked = await loggedIn(sandbox, callback, clientId, { scope: null });
  assert.equal((await tokenRequest(sandbox, unasked.redemption)).json['scope'], 'mcp:basic');
  const nothing = await loggedIn(sandbox, callback, clientId, {}, { scopes: [] });
  assert.equal(nothing.answer.get('error'), 'access_denied');
});

test('[R-5.8f] [A-294] no redirect leaves this computer by itself', async () => {
  const away = 'https://client.invalid/callback';
  const client = await registerNative(sandbox, { redirect_uris: [away] });
  const failed = await ask({ client_id: client, redirect_uri: away, prompt: 'none' });
  assert.deepEqual([failed.status, failed.headers.get('location')], [200, null]);
  const arrived = await walkLogin(authorizationUrl(sandbox, { client_id: client, redirect_uri: away }));
  assert.equal(arrived.status, 200);
  assert.match(arrived.html, /Go on to client\.invalid\?/);
  assert.match(arrived.html, /href="https:\/\/client\.invalid\/callback\?code=/);
});

test('[A-289] a request under another host name is turned away, and authorization offers no CORS', async () => {
  const { get } = await import('node:http');
  const status = await new Promise((resolve) => {
    get(`${sandbox.issuer}/jwks`, { headers: { host: 'evil.invalid' } }, (answer) => resolve(answer.statusCode)).end();
  });
  assert.equal(status, 421);
  const response = await fetch(authorizationUrl(sandbox, { client_id: clientId, redirect_uri: callback.redirectUri }), {
    redirect: 'manual',
    headers: { origin: 'https://evil.invalid' },
  });
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});
