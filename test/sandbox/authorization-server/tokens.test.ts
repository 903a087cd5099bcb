import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import {
  type Callback,
  type Changes,
  claimsOf,
  type Json,
  listenForCallback,
  loggedIn,
  registerNative,
  tokenRequest,
} from '../client.js';

let sandbox: Sandbox;
let callback: Callback;
let clientId: string;
const other = 'https://other.example/mcp';

before(async () => {
  sandbox = await startSandbox({ otherResources: [other], accessTokenSeconds: 120 });
  callback = await listenForCallback();
  clientId = await registerNative(sandbox);
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

async function code(): Promise<Changes> {
  return (await loggedIn(sandbox, callback, clientId)).redemption;
}

async function tokens(): Promise<Json> {
  return (await tokenRequest(sandbox, await code())).json;
}

function refresh(token: unknown, changes: Changes = {}): ReturnType<typeof tokenRequest> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: String(token) };
  return tokenRequest(sandbox, { ...form, ...changes });
}

/** The sandbox's clock goes on. */
function later(t: TestContext, seconds: number): void {
  const now = Date.now() + seconds * 1000;
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['Date'], now });
}

test('[A-281] an access token is a short-lived JWT for exactly one resource', async () => {
  const json = await tokens();
  const { exp, iat, ...claims } = claimsOf(json['access_token']);
  for (const [name, value] of Object.entries({
    aud: sandbox.serverUrl,
    iss: sandbox.issuer,
    client_id: clientId,
    sub: 'alice',
    scope: 'mcp:basic notes:read',
  }))
    assert.equal(claims[name], value, name);
  assert.deepEqual([Number(exp) - Number(iat), json['expires_in']], [120, 120]);
  const header = JSON.parse(Buffer.from(String(json['access_token']).split('.')[0] ?? '', 'base64url').toString());
  assert.deepEqual([header.typ, header.alg], ['at+jwt', 'ES256']);
});

test('[A-279] without the right verifier no token is given', async () => {
  for (const wrong of [null, 'x'.repeat(43)]) {
    const { status, json } = await tokenRequest(sandbox, { ...(await code()), code_verifier: wrong });
    assert.deepEqual([status, json['error']], [400, 'invalid_grant']);
  }
});

test('[A-280] [A-281] a code is for its own client, redirect URI and resource, and a wrong request does not use it up', async () => {
  for (const [wrong, error] of [
    [{ resource: null }, 'invalid_target'],
    [{ resource: other }, 'invalid_target'],
    [{ resource: `${sandbox.serverUrl}/` }, 'invalid_target'],
    [{ resource: [sandbox.serverUrl, other] }, 'invalid_target'],
    [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    [{ client_id: await registerNative(sandbox) }, 'invalid_grant'],
  ] as const) {
    const redemption = await code();
    const { status, json, headers } = await tokenRequest(sandbox, { ...redemption, ...wrong });
    const label = JSON.stringify(wrong);
    assert.deepEqual([status, json['error']], [400, error], label);
    assert.match(headers.get('cache-control') ?? '', /no-store/, label);
    assert.equal((await tokenRequest(sandbox, redemption)).status, 200, label);
  }
});

test('[A-280] a code works once, within a minute; its valid replay revokes what was issued for it, an invalid one does not', async (t) => {
  const redemption = await code();
  const { json } = await tokenRequest(sandbox, redemption);
  await tokenRequest(sandbox, { ...redemption, code_verifier: 'x'.repeat(43) });
  const second = await refresh(json['refresh_token']);
  assert.equal(second.status, 200);
  assert.equal((await tokenRequest(sandbox, redemption)).status, 400);
  assert.equal((await refresh(second.json['refresh_token'])).json['error'], 'invalid_grant');
  const [atOnce, inTime, late] = [await code(), await code(), await code()];
  const answers = await Promise.all([tokenRequest(sandbox, atOnce), tokenRequest(sandbox, atOnce)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  later(t, 50);
  assert.equal((await tokenRequest(sandbox, inTime)).status, 200);
  later(t, 12);
  assert.equal((await tokenRequest(sandbox, late)).json['error'], 'invalid_grant');
});

test('[A-291] what is no proper form is refused', async () => {
  const send = async (init: RequestInit): Promise<number> => (await fetch(`${sandbox.issuer}/token`, init)).status;
  assert.equal(await send({ method: 'GET' }), 404);
  const json = { 'content-type': 'application/json' };
  assert.equal(await send({ method: 'POST', headers: json, body: '{"grant_type":"authorization_code"}' }), 400);
  assert.equal(await send({ method: 'POST', body: new URLSearchParams({ padding: 'x'.repeat(1_048_576) }) }), 413);
  const redemption = await code();
  const twice = { ...redemption, code_verifier: [String(redemption['code_verifier']), 'again'] };
  assert.equal((await tokenRequest(sandbox, twice)).json['error'], 'invalid_request');
});

test('[A-292] codes and refresh tokens have 256 bits, each its own', async () => {
  const redemptions = [await code(), await code()];
  const issued = await Promise.all(redemptions.map((redemption) => tokenRequest(sandbox, redemption)));
  const seen = [...redemptions.map((one) => one['code']), ...issued.map(({ json }) => json['refresh_token'])];
  for (const value of seen) assert.match(String(value), /^[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(seen).size, 4);
});

test('[R-5.8a] [A-286] a refresh token is replaced each time; an old one used again ends the whole family, and no other', async () => {
  const [bystander, first] = [await tokens(), await tokens()];
  const second = await refresh(first['refresh_token']);
  assert.deepEqual([second.status, second.json['scope']], [200, 'mcp:basic notes:read']);
  assert.notEqual(second.json['refresh_token'], first['refresh_token']);
  assert.equal((await refresh(first['refresh_token'])).json['error'], 'invalid_grant');
  assert.equal((await refresh(second.json['refresh_token'])).json['error'], 'invalid_grant');
  const token = bystander['refresh_token'];
  const answers = await Promise.all([refresh(token), refresh(token)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400], 'of two at once, one gets tokens');
});

test('[A-286] a refresh gives never more, never for another resource or client; the token survives the attempt', async () => {
  const { refresh_token } = await tokens();
  for (const [changes, error] of [
    [{ scope: 'mcp:basic notes:read notes:write' }, 'invalid_scope'],
    [{ resource: other }, 'invalid_target'],
    [{ resource: null }, 'invalid_target'],
    [{ client_id: await registerNative(sandbox) }, 'invalid_grant'],
  ] as const)
    assert.equal((await refresh(refresh_token, changes)).json['error'], error);
  assert.equal((await refresh(refresh_token)).status, 200);
});

test('[A-293] a revoked refresh token is dead; an unknown or foreign one changes nothing', async () => {
  const revoke = async (token: unknown, client = clientId): Promise<number> => {
    const form = { token: String(token), client_id: client, token_type_hint: 'access_token' };
    return (await fetch(`${sandbox.issuer}/revoke`, { method: 'POST', body: new URLSearchParams(form) })).status;
  };
  const { refresh_token } = await tokens();
  assert.equal(await revoke('unknown'), 200);
  assert.equal(await revoke(refresh_token, await registerNative(sandbox)), 200);
  const { json, status } = await refresh(refresh_token);
  assert.equal(status, 200);
  assert.equal(await revoke(json['refresh_token']), 200);
  assert.equal((await refresh(json['refresh_token'])).json['error'], 'invalid_grant');
});

test('a refresh token outlives the session of the browser, and is good for a day', async (t) => {
  const first = await tokens();
  later(t, 13 * 3600);
  const second = await refresh(first['refresh_token']);
  assert.equal(second.status, 200);
  later(t, 25 * 3600);
  assert.equal((await refresh(second.json['refresh_token'])).json['error'], 'invalid_grant');
});
