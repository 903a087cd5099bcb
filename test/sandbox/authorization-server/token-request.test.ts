import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import {
  type Callback,
  type Changes,
  claimsOf,
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

/** Refused with this error, and the code is still good afterwards. */
async function refusedAndStillGood(redemption: Changes, wrong: Changes, error: string): Promise<void> {
  const { status, json, headers } = await tokenRequest(sandbox, { ...redemption, ...wrong });
  const label = JSON.stringify(wrong);
  assert.deepEqual([status, json['error']], [400, error], label);
  assert.match(headers.get('cache-control') ?? '', /no-store/, label);
  assert.equal((await tokenRequest(sandbox, redemption)).status, 200, label);
}

test('[R-5.8a] [A-281] an access token is a short-lived JWT for exactly one resource', async () => {
  const { json } = await tokenRequest(sandbox, await code());
  const claims = claimsOf(json['access_token']);
  assert.equal(claims['aud'], sandbox.serverUrl);
  assert.equal(claims['iss'], sandbox.issuer);
  assert.equal(claims['client_id'], clientId);
  assert.equal(claims['sub'], 'alice');
  assert.equal(claims['scope'], 'mcp:basic notes:read');
  assert.equal(Number(claims['exp']) - Number(claims['iat']), 120);
  assert.equal(json['expires_in'], 120);
  const header = JSON.parse(Buffer.from(String(json['access_token']).split('.')[0] ?? '', 'base64url').toString());
  assert.deepEqual([header.typ, header.alg], ['at+jwt', 'ES256']);
});

test('[A-279] without the right verifier no token is given', async () => {
  for (const wrong of [null, 'x'.repeat(43)]) {
    const { status, json } = await tokenRequest(sandbox, { ...(await code()), code_verifier: wrong });
    assert.deepEqual([status, json['error']], [400, 'invalid_grant']);
  }
});

test('[A-281] a missing, foreign or doubled resource is refused before the code is used up', async () => {
  for (const resource of [
    null,
    other,
    'https://evil.invalid/mcp',
    `${sandbox.serverUrl}/`,
    [sandbox.serverUrl, other],
  ]) {
    await refusedAndStillGood(await code(), { resource }, 'invalid_target');
  }
});

test('[A-280] a code is for its own client and redirect URI, and only once', async () => {
  await refusedAndStillGood(await code(), { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant');
  await refusedAndStillGood(await code(), { client_id: await registerNative(sandbox) }, 'invalid_grant');
  const redemption = await code();
  const answers = await Promise.all([tokenRequest(sandbox, redemption), tokenRequest(sandbox, redemption)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
});

test('[A-280] a valid replay of the code revokes what was issued for it; an invalid one does not', async () => {
  const redemption = await code();
  const { json } = await tokenRequest(sandbox, redemption);
  await tokenRequest(sandbox, { ...redemption, code_verifier: 'x'.repeat(43) });
  const refresh = { grant_type: 'refresh_token', client_id: clientId };
  const second = await tokenRequest(sandbox, { ...refresh, refresh_token: String(json['refresh_token']) });
  assert.equal(second.status, 200);
  await tokenRequest(sandbox, redemption);
  const third = await tokenRequest(sandbox, { ...refresh, refresh_token: String(second.json['refresh_token']) });
  assert.deepEqual([third.status, third.json['error']], [400, 'invalid_grant']);
});

test('[A-280] a code is good for a minute', async (t) => {
  const [inTime, late] = [await code(), await code()];
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 50_000 });
  assert.equal((await tokenRequest(sandbox, inTime)).status, 200);
  t.mock.timers.setTime(Date.now() + 12_000);
  assert.equal((await tokenRequest(sandbox, late)).json['error'], 'invalid_grant');
});

test('[A-291] what is no proper form is refused', async () => {
  const send = async (init: RequestInit): Promise<number> => (await fetch(`${sandbox.issuer}/token`, init)).status;
  assert.equal(await send({ method: 'GET' }), 404);
  const json = { 'content-type': 'application/json' };
  assert.equal(await send({ method: 'POST', headers: json, body: '{"grant_type":"authorization_code"}' }), 400);
  assert.equal(await send({ method: 'POST', body: new URLSearchParams({ padding: 'x'.repeat(1_048_576) }) }), 413);
  const redemption = await code();
  const twice = await tokenRequest(sandbox, {
    ...redemption,
    code_verifier: [String(redemption['code_verifier']), 'again'],
  });
  assert.deepEqual([twice.status, twice.json['error']], [400, 'invalid_request']);
});
