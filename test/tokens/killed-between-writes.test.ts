import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validToken } from '../../src/tokens/valid-token.js';
import { callTool, stepUp } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import type { LoginRecord } from '../support/product.js';

/** A login for `scopes` that was killed when its item was written and its record was not. What the index tells of it. */
async function loginKilledBeforeTheIndex(
  scene: Scene,
  scopes: readonly string[],
  change: Partial<LoginRecord> = {},
): Promise<LoginRecord> {
  const before = await scene.ports.index.read();
  await scene.login({ scopes });
  const logins = before.logins.map((record) => ({ ...record, ...change }));
  await scene.ports.index.update(() => ({ ...before, logins }));
  const [stale] = logins;
  assert.ok(stale !== undefined);
  return stale;
}

test('[A-137] a login killed between store and index: what its token lacks is asked for, whatever the record tells', async () => {
  await using scene = await openScene();
  await scene.login({ scopes: ['mcp:basic', 'notes:write'] });
  const stale = await loginKilledBeforeTheIndex(scene, ['mcp:basic']);
  assert.ok(stale.scopes.includes('notes:write'), 'the record is behind');
  const relogin = stepUp(scene);
  await callTool(scene, stale, 'note_add', { text: 'hello' }, { relogin });
  assert.equal(relogin.count, 1);
});

test('[A-137] the record is put right at the next use, "dead" included, and only once', async () => {
  await using scene = await openScene();
  await scene.login({ scopes: ['mcp:basic', 'notes:write'] });
  const stale = await loginKilledBeforeTheIndex(scene, ['mcp:basic'], { dead: true });
  const { signal } = new AbortController();
  const token = await validToken(scene.ports, { login: stale, minLifeMs: 0, rejected: undefined, signal });
  const [mended] = (await scene.ports.index.read()).logins;
  assert.deepEqual(mended?.scopes, token.scopes);
  assert.equal(mended?.expiresAt, token.expiresAt);
  assert.deepEqual([mended?.dead, mended?.generation], [undefined, stale.generation + 1]);
  const renewed = { login: stale, minLifeMs: 0, rejected: token.accessToken, signal };
  assert.notEqual((await validToken(scene.ports, renewed)).accessToken.reveal(), token.accessToken.reveal());
});

test('[A-137] a record of the very login that was refused stays dead, whatever its scopes', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  await scene.ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((record) => ({ ...record, dead: true, scopes: ['other'] })),
  }));
  const { signal } = new AbortController();
  await validToken(scene.ports, { login: { ...login, scopes: ['other'] }, minLifeMs: 0, rejected: undefined, signal });
  const [record] = (await scene.ports.index.read()).logins;
  assert.deepEqual([record?.dead, record?.scopes], [true, login.scopes]);
});
