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
  sandbox = await startSandbox({ issuerPath: '/a/b' });
  callback = await listenForCallback();
  clientId = await registerNative(sandbox);
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

function ask(changes: Changes, at = sandbox, headers: Record<string, string> = {}): Promise<Response> {
  const request = { client_id: clientId, redirect_uri: callback.redirectUri, ...changes };
  return fetch(authorizationUrl(at, request), { redirect: 'manual', headers });
}

const metadataOf = async (address: string) => (await fetch(address)).json();

test('[Q-6.5] [R-2.2c] both metadata documents announce S256, bound scopes and iss; what is switched off is not there', async () => {
  const { origin } = new URL(sandbox.issuer);
  for (const address of [
    `${origin}/.well-known/oauth-authorization-server/a/b`,
    `${sandbox.issuer}/.well-known/openid-configuration`,
  ]) {
    const document = await metadataOf(address);
    assert.equal(document.issuer, sandbox.issuer);
    assert.deepEqual(document.code_challenge_methods_supported, ['S256']);
    assert.deepEqual(document.response_types_supported, ['code'], 'no token ever comes through the browser');
    assert.equal(document.userinfo_endpoint, undefined, 'an access token is for the protected server alone');
    assert.equal(document.authorization_response_iss_parameter_supported, true);
    assert.ok(document.scopes_supported.includes('notes:write'));
  }
  await using closed = await startSandbox({ registration: false, metadata: 'openid' });
  const document = await metadataOf(`${closed.issuer}/.well-known/openid-configuration`);
  assert.equal('registration_endpoint' in document, false);
  assert.equal((await fetch(`${closed.issuer}/register`, { method: 'POST' })).status, 404);
  assert.equal((await fetch(`${closed.issuer}/.well-known/oauth-authorization-server`)).status, 404);
});

test('[Q-6.5] [A-287] code, state and iss come back after a yes, error, state and iss after a no', async () => {
  const { answer, redemption } = await loggedIn(sandbox, callback, clientId);
  assert.deepEqual([answer.get('state'), answer.get('iss')], ['our state', sandbox.issuer]);
  const { status, json } = await tokenRequest(sandbox, redemption);
  assert.deepEqual([status, json['token_type']], [200, 'Bearer']);
  const { answer: denied } = await loggedIn(sandbox, callback, clientId, {}, { decision: 'deny' });
  const members = ['error', 'state', 'iss', 'code'].map((name) => denied.get(name));
  assert.deepEqual(members, ['access_denied', 'our state', sandbox.issuer, null]);
});

test('consent can narrow the scope, and no scope at all means the basic one', async () => {
  const narrowed = await loggedIn(sandbox, callback, clientId, {}, { scopes: ['notes:read'] });
  assert.equal((await tokenRequest(sandbox, narrowed.redemption)).json['scope'], 'notes:read');
  const unasked = await loggedIn(sandbox, callback, clientId, { scope: null });
  assert.equal((await tokenRequest(sandbox, unasked.redemption)).json['scope'], 'mcp:basic');
});

test('[R-5.8f] [A-277] [A-278] an unknown client, or a redirect URI that is not the registered one but for a loopback port, gets a page and no redirect', async () => {
  const { port } = new URL(callback.redirectUri);
  for (const changes of [
    { client_id: 'nobody' },
    { client_id: null },
    { redirect_uri: null },
    ...[
      'https://evil.invalid/callback',
      `http://127.0.0.1@evil.invalid:${port}/callback`,
      `http://127.0.0.1:${port}/callback/`,
      `http://127.0.0.1:${port}/callback?x=1`,
      `http://127.0.0.1:${port}/a/../callback`,
      `http://127.0.0.1:${port}/callback#f`,
      `http://localhost:${port}/callback`,
      `https://127.0.0.1:${port}/callback`,
    ].map((redirect_uri) => ({ redirect_uri })),
  ]) {
    const response = await ask(changes);
    const label = JSON.stringify(changes);
    assert.deepEqual([response.status, response.headers.get('location')], [400, null], label);
    assert.match(await response.text(), /This login cannot go on/, label);
  }
  assert.equal((await ask({ redirect_uri: 'http://127.0.0.1:1/callback' })).status, 303);
});

test('[A-277] localhost is no loopback literal: its port is pinned; so is every port when that is asked for', async () => {
  await using strict = await startSandbox({ loopbackPorts: 'exact' });
  for (const [at, host] of [
    [sandbox, 'localhost'],
    [strict, '127.0.0.1'],
  ] as const) {
    const client_id = await registerNative(at, { redirect_uris: [`http://${host}:5000/callback`] });
    for (const [port, status] of [
      [5000, 303],
      [5001, 400],
    ] as const) {
      assert.equal((await ask({ client_id, redirect_uri: `http://${host}:${port}/callback` }, at)).status, status);
    }
  }
});

test('[A-278] [A-281] [A-287] every other bad request goes back to the client with error, state and iss', async () => {
  for (const [changes, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: ['mcp:basic', 'notes:read'] }, 'invalid_request'],
    [{ resource: null }, 'invalid_target'],
    [{ resource: 'https://another.invalid/mcp' }, 'invalid_target'],
    [{ resource: [sandbox.serverUrl, 'https://another.invalid/mcp'] }, 'invalid_target'],
    [{ prompt: 'none' }, 'login_required'],
  ] as const) {
    const location = new URL((await ask(changes)).headers.get('location') ?? 'http://no.location.invalid');
    const label = JSON.stringify(changes);
    // A response type that answers in the fragment is refused there, too.
    const answer = new URLSearchParams(location.hash === '' ? location.search : location.hash.slice(1));
    assert.equal(`${location.origin}${location.pathname}`, callback.redirectUri, label);
    const members = ['error', 'state', 'iss', 'code'].map((name) => answer.get(name));
    assert.deepEqual(members, [error, 'our state', sandbox.issuer, null], label);
  }
});

test('[R-5.8f] [A-294] no redirect leaves this computer by itself', async () => {
  const away = 'https://client.invalid/callback';
  const client = await registerNative(sandbox, { redirect_uris: [away] });
  const failed = await ask({ client_id: client, redirect_uri: away, prompt: 'none' });
  assert.deepEqual([failed.status, failed.headers.get('location')], [200, null]);
  const arrived = await walkLogin(authorizationUrl(sandbox, { client_id: client, redirect_uri: away }));
  assert.equal(arrived.status, 200);
  assert.match(arrived.html, /Go on to client\.invalid\?.*href="https:\/\/client\.invalid\/callback\?code=/s);
});

test('[A-289] a request under another host name is turned away, and neither endpoint offers CORS', async () => {
  const { get } = await import('node:http');
  const status = await new Promise((resolve) => {
    get(`${sandbox.issuer}/jwks`, { headers: { host: 'evil.invalid' } }, (answer) => resolve(answer.statusCode)).end();
  });
  assert.equal(status, 421);
  const headers = { origin: 'https://evil.invalid' };
  const redemption = { grant_type: 'authorization_code', client_id: clientId, code: 'x' };
  for (const answer of [await ask({}, sandbox, headers), await tokenRequest(sandbox, redemption, headers)]) {
    assert.ok(![...answer.headers.keys()].some((name) => name.startsWith('access-control-allow')));
  }
});

test('--approve: an authorization request is answered with the code at once, and what is wrong is still refused', async () => {
  await using approving = await startSandbox({ approve: true });
  const client_id = await registerNative(approving);
  const to = new URL((await ask({ client_id }, approving)).headers.get('location') ?? '');
  assert.equal(`${to.origin}${to.pathname}`, callback.redirectUri);
  assert.deepEqual([to.searchParams.has('code'), to.searchParams.get('state')], [true, 'our state']);
  assert.equal((await ask({ client_id: 'nobody' }, approving)).status, 400);
});
