import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTransport } from '../../src/call/transport.js';
import { atServer } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord, Relogin } from '../support/product.js';

const { signal } = new AbortController();
const limits = { totalMs: 10_000, headersMs: 10_000, maxBytes: null };

const tokenOf = async (scene: Scene, { key }: LoginRecord): Promise<string> =>
  JSON.parse((await scene.ports.store.read(key))?.reveal() ?? '').accessToken;

test('[R-5.1a] nothing is refreshed for an address that gets no token', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await scene.login();
  scene.ports.advance((login.expiresAt ?? Number.NaN) - scene.ports.clock.now());
  const before = scene.sandbox.requests.length;
  const transport = createTransport(scene.ports, { login, relogin: undefined, signal });
  const sent = transport.send({ method: 'POST', url: own.server.url, body: '{}', limits, signal });
  await failureOf(sent, 'token_not_for_url');
  assert.equal(scene.sandbox.requests.length, before, 'its refresh token was used all the same');
});

test('[R-5.1a] a login of another server, though it was made for this request, brings no token of that', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await scene.login();
  const other = await keepLogin(scene, own);
  scene.sandbox.setFaults(['server-403-treadmill']);
  const relogin: Relogin = async (_, __, begin) => {
    await begin();
    return other;
  };
  const transport = createTransport(scene.ports, { login, relogin, signal });
  await failureOf(
    transport.send({ method: 'POST', url: login.server, body: '{}', limits, signal }),
    'token_not_for_url',
  );
  const shown = atServer(scene).map(({ headers }) => headers['authorization']);
  assert.ok(!shown.includes(`Bearer ${await tokenOf(scene, other)}`));
});
