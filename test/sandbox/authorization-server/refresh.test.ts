import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import {
  type Callback,
  type Changes,
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
  sandbox = await startSandbox({ otherResources: [other] });
  callback = await listenForCallback();
  clientId = await registerNative(sandbox);
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

async function tokens(): Promise<Json> {
  const { redemption } = await loggedIn(sandbox, callback, clientId);
  return (await tokenRequest(sandbox, redemption)).json;
}

function refresh(token: unknown, changes: Changes = {}): ReturnType<typeof tokenRequest> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: String(token) };
  return tokenRequest(sandbox, { ...form, ...changes });
}

test('[R-5.8a] a refresh token of a public client is replaced each time, and needs no offline_access', async () => {
  const first = await tokens();
  const second = await refresh(first['refresh_token']);
  assert.equal(second.status, 200);
  assert.notEqual(second.json['refresh_token'], first['refresh_token']);
  assert.equal(second.json['scope'], 'mcp:basic notes:read');
  assert.equal((await refresh(second.json['refresh_token'])).status, 200);
});

test('[R-5.8a] [A-286] an old refresh token used again ends the whole family, and no other', async () => {
  const bystander = await tokens();
  const first = await tokens();
  const second = await refresh(first['refresh_token']);
  const replay = await refresh(first['refresh_token']);
  assert.deepEqual([replay.status, replay.json['error']], [400, 'invalid_grant']);
  assert.equal((await refresh(second.json['refresh_token'])).json['error'], 'invalid_grant');
  assert.equal((await refresh(bystander['refresh_token'])).status, 200);
});

test('[A-286] of two refreshes at once, one gets tokens', async () => {
  const { refresh_token } = await tokens();
  const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
});

test('[A-286] never wider, never for another resource, never for another client; and the token survives the attempt', async () => {
  const { refresh_token } = await tokens();
  for (const [changes, error] of [
    [{ scope: 'mcp:basic notes:read notes:write' }, 'invalid_scope'],
    [{ resource: other }, 'invalid_target'],
    [{ resource: null }, 'invalid_target'],
    [{ client_id: await registerNative(sandbox) }, 'invalid_grant'],
  ] as const) {
    const { status, json } = await refresh(refresh_token, changes);
    assert.deepEqual([status, json['error']], [400, error]);
  }
  assert.equal((await refresh(refresh_token)).status, 200);
});

test('[A-286] [A-293] a revoked refresh token is dead; an unknown or foreign one changes nothing', async () => {
  const revoke = async (token: unknown, client = clientId, hint = 'refresh_token'): Promise<number> => {
    const form = { token: String(token), client_id: client, token_type_hint: hint };
    return (await fetch(`${sandbox.issuer}/revoke`, { method: 'POST', body: new URLSearchParams(form) })).status;
  };
  const { refresh_token } = await tokens();
  assert.equal(await revoke('unknown'), 200);
  assert.equal(await revoke(refresh_token, await registerNative(sandbox)), 200);
  const { json, status } = await refresh(refresh_token);
  assert.equal(status, 200);
  assert.equal(await revoke(json['refresh_token'], clientId, 'access_token'), 200);
  assert.equal((await refresh(json['refresh_token'])).json['error'], 'invalid_grant');
});

/** The sandbox's clock goes on by so many hours. */
function hoursLater(t: TestContext, hours: number): void {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 });
}

test('a refresh token outlives the session of the browser, and is good for a day', async (t) => {
  const first = await tokens();
  hoursLater(t, 13);
  const second = await refresh(first['refresh_token']);
  assert.equal(second.status, 200);
  hoursLater(t, 25);
  assert.equal((await refresh(second.json['refresh_token'])).json['error'], 'invalid_grant');
});
