import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshToken } from '../support/flows/calls.js';
import { keepLogin, type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import {
  createMemoryStore,
  Secret,
  type SecretStore,
  storeFailed,
  storeLocked,
  walkLogin,
} from '../support/product.js';

const refreshesOf = ({ issuer }: OwnScene) =>
  issuer.forms.filter(({ fields }) => fields.get('grant_type') === 'refresh_token').length;

/** A store whose next writes fail. */
function faultyStore(): SecretStore & { failures: number; writes: number } {
  const store = createMemoryStore();
  const faulty = {
    ...store,
    failures: 0,
    writes: 0,
    write: async (key: string, value: Secret) => {
      faulty.writes += 1;
      if (faulty.failures > 0) {
        faulty.failures -= 1;
        throw storeFailed('write', new Error('disk full'));
      }
      await store.write(key, value);
    },
  };
  return faulty;
}

test('[A-151] a store that is not ready: no registration, no browser, exit 7', async () => {
  const ready = () => Promise.reject(storeLocked('gnome-keyring'));
  await using scene = await openScene({}, { store: { ...createMemoryStore(), ready } });
  const failure = await scene.loginFails('store_locked');
  assert.equal(failure.exit, 7);
  assert.deepEqual(scene.ports.opened, []);
  const { registrations, authorizationRequests } = scene.sandbox.stats;
  assert.deepEqual([registrations, authorizationRequests], [0, 0]);
});

test('[A-136][A-138] a refreshed token that cannot be stored is not handed out: exit 7, and what follows is said', async () => {
  const store = faultyStore();
  await using scene = await openScene({}, { store });
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const before = await scene.ports.store.read(login.key);
  const index = JSON.stringify(await scene.ports.index.read());
  scene.ports.advance(299_000);
  store.failures = Number.POSITIVE_INFINITY;
  const failure = await failureOf(freshToken(scene, login), 'refresh_not_stored');
  assert.equal(failure.exit, 7);
  assert.match(failure.message, /not used.*disk full/);
  assert.match(failure.message, /nothing is lost/);
  assert.match(failure.remedy, /try again/);
  assert.equal((await scene.ports.store.read(login.key))?.reveal(), before?.reveal());
  assert.equal(JSON.stringify(await scene.ports.index.read()), index);
});

test('[A-138] a store that fails for a moment is tried again, and the token is handed out once it is stored', async () => {
  const store = faultyStore();
  await using scene = await openScene({}, { store });
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(299_000);
  store.failures = 2;
  const { accessToken } = await freshToken(scene, login);
  assert.ok((await scene.ports.store.read(login.key))?.reveal().includes(accessToken.reveal()));
  assert.equal(refreshesOf(own), 1);
});

test('[A-136] the refreshed token is in the store before anybody gets it', async () => {
  const store = createMemoryStore();
  const order: string[] = [];
  const write: SecretStore['write'] = async (key, value) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await store.write(key, value);
    order.push('stored');
  };
  await using scene = await openScene({}, { store: { ...store, write } });
  const login = await scene.login();
  scene.ports.advance(299_000);
  order.length = 0;
  await freshToken(scene, login);
  order.push('handed out');
  assert.deepEqual(order, ['stored', 'handed out']);
});

test('[A-136] a login whose token cannot be stored is no success: exit 7, the browser is told so, nothing half stays', async () => {
  const store = faultyStore();
  let walk: ReturnType<typeof walkLogin> | undefined;
  const browse = (url: string) => {
    walk = walkLogin(url);
    return walk;
  };
  await using scene = await openScene({}, { store, browse });
  store.failures = Number.POSITIVE_INFINITY;
  const failure = await scene.loginFails('store_failed');
  assert.equal(failure.exit, 7);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
  const page = (await walk)?.html ?? '';
  assert.match(page, /The login did not succeed/);
  assert.doesNotMatch(page, /You are logged in/);
});

test('[A-169] an item of another login under this login’s key is refused, kept and reported', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const one = await scene.login();
  const other = await keepLogin(scene, own);
  const foreign = await scene.ports.store.read(other.key);
  assert.ok(foreign !== undefined);
  await scene.ports.store.write(one.key, foreign);
  const requests = scene.sandbox.stats.authorizationServerRequests;
  const failure = await failureOf(freshToken(scene, one), 'credential_corrupt');
  assert.equal(failure.exit, 7);
  assert.match(failure.remedy, /postern login http\S+; .*postern logout http/);
  assert.equal((await scene.ports.store.read(one.key))?.reveal(), foreign.reveal());
  assert.equal(scene.sandbox.stats.authorizationServerRequests, requests);
  assert.equal((await freshToken(scene, other)).accessToken.reveal(), 'access-1', 'the other one is as it was');
});

for (const [what, text] of [
  ['cut off', '{"version":1,"binding":{'],
  ['another format', 'Bearer abc'],
  ['empty', ''],
] as const) {
  test(`[A-169] an item that is ${what}: exit 7, nothing is sent, nothing is deleted`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const login = await keepLogin(scene, own);
    await scene.ports.store.write(login.key, new Secret(text));
    const failure = await failureOf(freshToken(scene, login), 'credential_corrupt');
    assert.equal(failure.exit, 7);
    assert.equal((await scene.ports.store.read(login.key))?.reveal(), text);
  });
}
