import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCredential } from '../../src/stores/credential-item.js';
import { readCredential } from '../../src/tokens/read-credential.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginPorts, LoginRecord } from '../support/product.js';

const { signal } = new AbortController();

const ask = (ports: LoginPorts, login: LoginRecord) =>
  validToken(ports, { login, minLifeMs: 60_000, rejected: undefined, signal });

/** Fails with `busy` if somebody has the lock of this login. */
async function hasNoHolder(scene: Scene, login: LoginRecord): Promise<boolean> {
  try {
    await using _lock = await scene.ports.locks.acquire(login.key, { waitMs: 0, signal });
    return true;
  } catch {
    return false;
  }
}

test('[A-136][A-134] the lock is held until the refreshed credential is written, and the index after it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(299_000);
  const free: boolean[] = [];
  const look = async () => void free.push(await hasNoHolder(scene, login));
  const { store, index } = scene.ports;
  const write: typeof store.write = async (key, value) => {
    await look();
    await store.write(key, value);
    await look();
  };
  const update: typeof index.update = async (change) => {
    await look();
    return index.update(change);
  };
  await ask({ ...scene.ports, store: { ...store, write }, index: { ...index, update } }, login);
  assert.deepEqual(free, [false, false, false]);
  assert.ok(await hasNoHolder(scene, login), 'and then let go');
});

test('[A-141] the lock is held until a refused login is marked dead, so that nobody asks a second time', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.ports.advance(299_000);
  scene.sandbox.setFaults(['refresh-invalid-grant']);
  const { index } = scene.ports;
  const update: typeof index.update = async (change) => {
    await new Promise((resolve) => setTimeout(resolve, 100)); // gives the others every chance
    return index.update(change);
  };
  const ports = { ...scene.ports, index: { ...index, update } };
  const all = Array.from({ length: 5 }, () => failureOf(ask(ports, login), 'login_expired'));
  await Promise.all(all);
  const refreshes = scene.sandbox.requests.filter(
    ({ path, params }) => path === '/token' && new Map(params).get('grant_type') === 'refresh_token',
  );
  assert.equal(refreshes.length, 1);
});

test('[A-139][A-142] another process sits on the lock: a token that still lives is handed out after a short wait', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(260_000);
  const { locks, advance } = scene.ports;
  await using _paused = await locks.acquire(login.key, { waitMs: 0, signal });
  const acquire: typeof locks.acquire = (name, options) => {
    // The clock is moved while it waits; if that is too early, it waits on.
    setTimeout(() => advance(options.waitMs), 50);
    return locks.acquire(name, options);
  };
  const { expiresAt } = await ask({ ...scene.ports, locks: { acquire } }, login);
  assert.equal(expiresAt, login.expiresAt);
});

test('[A-139] what another login has put there before the lock was had cannot be refreshed: said as it is, and nothing is sent', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(301_000);
  const { locks, store } = scene.ports;
  const acquire: typeof locks.acquire = async (name, options) => {
    const { refreshToken: _, ...rest } = await readCredential(scene.ports, login);
    await store.write(login.key, encodeCredential(rest));
    return locks.acquire(name, options);
  };
  const tokenRequests = own.issuer.forms.length;
  const failure = await failureOf(ask({ ...scene.ports, locks: { acquire } }, login), 'login_expired');
  assert.equal(failure.exit, 3);
  assert.equal(own.issuer.forms.length, tokenRequests);
});

test('[A-139] who gives up while another process sits on the lock gets no token, though one lives', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(260_000);
  await using _paused = await scene.ports.locks.acquire(login.key, { waitMs: 0, signal });
  const over = new AbortController();
  const asked = validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal: over.signal });
  over.abort(new Error('no longer wanted'));
  await assert.rejects(asked, /no longer wanted/);
});
