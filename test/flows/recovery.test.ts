import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { storeFailed } from '../../src/errors/store.js';
import { logout } from '../../src/flows/logout.js';
import { validToken } from '../../src/flows/token/valid-token.js';
import type { LoginRecord } from '../../src/primitives/records.js';
import { createMemoryStore } from '../../src/system/memory-store.js';
import { failureOf } from '../support/door.js';
import { openScene, type Scene } from './scene.js';

const { signal } = new AbortController();

const ask = (scene: Scene, login: LoginRecord) =>
  validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal });

const fileOf = (scene: Scene, { key }: LoginRecord) => `${scene.folder}/state/recovery/${key}.sealed`;

/** A login whose refresh went well, and whose store failed then. */
async function sealedScene() {
  const memory = createMemoryStore();
  const store = { ...memory, broken: false };
  store.write = async (key, value) => {
    if (store.broken) throw storeFailed('write', new Error('no'));
    await memory.write(key, value);
  };
  const scene = await openScene({}, { store });
  const login = await scene.login();
  const spent = await memory.read(login.key);
  scene.ports.advance(299_000);
  store.broken = true;
  await failureOf(ask(scene, login), 'refresh_not_stored');
  assert.ok(existsSync(fileOf(scene, login)));
  return { scene, login, store, spent, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

test('[A-138][A-136] a store that fails after the refresh loses nothing: the next use moves the sealed credential there', async () => {
  await using at = await sealedScene();
  const { scene, login, store } = at;
  const { refreshes, tokenRequests } = scene.sandbox.stats;
  await failureOf(ask(scene, login), 'refresh_not_stored');
  assert.ok(existsSync(fileOf(scene, login)), 'kept for as long as the store fails');
  store.broken = false;
  const { accessToken } = await ask(scene, login);
  assert.deepEqual(
    [scene.sandbox.stats.refreshes, scene.sandbox.stats.tokenRequests],
    [refreshes, tokenRequests],
    'no second refresh: the spent refresh token is not used again',
  );
  assert.ok((await store.read(login.key))?.reveal().includes(accessToken.reveal()));
  assert.equal(existsSync(fileOf(scene, login)), false);
  scene.ports.advance(299_000);
  await ask(scene, login); // its refresh token is the newest one
  assert.equal((await scene.ports.index.read()).logins[0]?.dead, undefined);
});

test('[A-152] a logout revokes the sealed credential, not the spent one, and leaves no file', async () => {
  await using at = await sealedScene();
  const { scene, login, spent } = at;
  const { revocation } = await logout(scene.ports, { login, force: false, signal });
  assert.equal(revocation.done, true);
  assert.equal(existsSync(fileOf(scene, login)), false);
  const asked = scene.sandbox.requests.find(({ path }) => path === '/revoke');
  const revoked = new Map(asked?.params).get('token') ?? '';
  assert.notEqual(revoked, '');
  assert.equal(spent?.reveal().includes(revoked), false);
});

test('[A-148] a new login takes the place of the sealed credential', async () => {
  await using at = await sealedScene();
  const { scene, store } = at;
  store.broken = false;
  const login = await scene.login();
  assert.equal(existsSync(fileOf(scene, login)), false);
  const { refreshes } = scene.sandbox.stats;
  await ask(scene, login);
  assert.equal(scene.sandbox.stats.refreshes, refreshes);
});
