import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshFaults } from '../../../src/sandbox/faults/refresh.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { type Json, listenForCallback, loggedIn, registerNative, tokenRequest } from '../client.js';
import { form, observe, proveFaults, type Seen } from './observe.js';

/** What a refresh, and then a revocation, got. */
interface Afterwards {
  readonly refreshed: Seen;
  /** How long the refresh took, in milliseconds. */
  readonly took: number;
  readonly token: Json;
  readonly revoked: Seen;
}

proveFaults<Afterwards>(
  refreshFaults(),
  async (sandbox, arm) => {
    await using callback = await listenForCallback();
    const client_id = await registerNative(sandbox);
    const { redemption } = await loggedIn(sandbox, callback, client_id);
    const refresh_token = String((await tokenRequest(sandbox, redemption)).json['refresh_token']);
    arm();
    const fields = { grant_type: 'refresh_token', client_id, refresh_token, resource: sandbox.serverUrl };
    const start = performance.now();
    const refreshed = await observe(`${sandbox.issuer}/token`, form(fields));
    const took = performance.now() - start;
    const revoked = await observe(`${sandbox.issuer}/revoke`, form({ token: refresh_token, client_id }));
    return { refreshed, took, revoked, token: refreshed.text.startsWith('{') ? JSON.parse(refreshed.text) : {} };
  },
  {
    'refresh-invalid-grant': ({ refreshed, token }) => refreshed.status === 400 && token['error'] === 'invalid_grant',
    'refresh-invalid-client': ({ refreshed, token }) => refreshed.status === 401 && token['error'] === 'invalid_client',
    'refresh-500': ({ refreshed }) => refreshed.status === 500,
    'refresh-portal': ({ refreshed }) => refreshed.status === 200 && refreshed.text.startsWith('<h1>'),
    'refresh-slow': ({ refreshed }) => !refreshed.ended,
    'refresh-late': ({ token, took }) => token['access_token'] !== undefined && took >= 2_500,
    'refresh-no-rotation': ({ token }) => token['access_token'] !== undefined && token['refresh_token'] === undefined,
    'revocation-500': ({ revoked }) => revoked.status === 500,
    'revocation-slow': ({ revoked }) => !revoked.ended,
    'revocation-redirect': ({ revoked }) => revoked.status === 307,
  },
);

test('[A-298] without rotation the old refresh token goes on working', async () => {
  await using sandbox = await startSandbox({ faults: ['refresh-no-rotation'] });
  await using callback = await listenForCallback();
  const client_id = await registerNative(sandbox);
  const { redemption } = await loggedIn(sandbox, callback, client_id);
  const refresh_token = String((await tokenRequest(sandbox, redemption)).json['refresh_token']);
  for (const _ of [1, 2, 3]) {
    assert.equal((await tokenRequest(sandbox, { grant_type: 'refresh_token', client_id, refresh_token })).status, 200);
  }
});
