import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateUnwritable } from '../../src/stores/failures.js';
import { freshToken } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginPorts } from '../support/product.js';

const full = () => stateUnwritable('/state', Object.assign(new Error('full'), { code: 'ENOSPC' }));

/** The scene from now on, on a disk where nothing can be written. */
function onFullDisk(scene: Scene, what: { readonly locks: boolean; readonly index: boolean }): Scene {
  const refuse = () => Promise.reject(full());
  const locks: LoginPorts['locks'] = { acquire: refuse };
  const index: LoginPorts['index'] = { ...scene.ports.index, update: refuse };
  const ports = { ...scene.ports, ...(what.locks ? { locks } : {}), ...(what.index ? { index } : {}) };
  return { ...scene, ports };
}

test('[A-151] no lock to be had on a full disk: a token that still lives is handed out, and none is asked for', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const stuck = onFullDisk(scene, { locks: true, index: true });
  scene.ports.advance(260_000);
  const tokenRequests = own.issuer.forms.length;
  assert.equal((await freshToken(stuck, login)).expiresAt, login.expiresAt);
  scene.ports.advance(60_000);
  await failureOf(freshToken(stuck, login), 'state_unwritable');
  assert.equal(own.issuer.forms.length, tokenRequests);
  assert.notEqual((await freshToken(scene, login)).expiresAt, login.expiresAt, 'nothing is lost');
});

test('[A-151] an index that is behind the store and cannot be mended keeps no token from anybody', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const behind = { ...login, scopes: ['other'], generation: login.generation - 1 };
  await scene.ports.index.update((document) => ({ ...document, logins: [behind] }));
  const stuck = onFullDisk(scene, { locks: false, index: true });
  assert.deepEqual((await freshToken(stuck, behind)).scopes, login.scopes);
  assert.equal((await scene.ports.index.read()).logins[0]?.generation, behind.generation);
  await freshToken(scene, behind);
  assert.deepEqual((await scene.ports.index.read()).logins[0]?.scopes, login.scopes, 'mended with room again');
  await scene.ports.store.remove(login.key);
  await failureOf(freshToken(stuck, login), 'login_needed');
});

test('[A-151] a refresh that the store has kept is handed out, though the index could not be written after it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const stuck = onFullDisk(scene, { locks: false, index: true });
  scene.ports.advance(320_000);
  const tokenRequests = own.issuer.forms.length;
  const fresh = await freshToken(stuck, login);
  assert.notEqual(fresh.expiresAt, login.expiresAt);
  assert.equal((await freshToken(scene, login)).accessToken.reveal(), fresh.accessToken.reveal());
  assert.equal(own.issuer.forms.length, tokenRequests + 1, 'asked for once');
});

test('[A-151] no room for what a refresh gives: a token that still lives is handed out, and the refresh token is not spent', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const recovery: LoginPorts['recovery'] = { ...scene.ports.recovery, begin: () => Promise.reject(full()) };
  const stuck = { ...scene, ports: { ...scene.ports, recovery } };
  scene.ports.advance(260_000);
  const tokenRequests = own.issuer.forms.length;
  assert.equal((await freshToken(stuck, login)).expiresAt, login.expiresAt);
  scene.ports.advance(60_000);
  await failureOf(freshToken(stuck, login), 'state_unwritable');
  assert.equal(own.issuer.forms.length, tokenRequests);
  assert.notEqual((await freshToken(scene, login)).expiresAt, login.expiresAt, 'nothing is lost');
});
