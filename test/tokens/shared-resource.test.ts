import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout } from '../../src/login/logout/logout.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { pathForm, rootForm } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { status } from '../support/flows/status.js';
import { failureOf } from '../support/http.js';
import { defaultAccount, type LoginRecord, Secret } from '../support/product.js';

const { signal } = new AbortController();

const wish = (login: LoginRecord) => ({ login, minLifeMs: 60_000, rejected: undefined, signal });
const tokenOf = async (scene: Scene, login: LoginRecord) =>
  (await validToken(scene.ports, wish(login))).accessToken.reveal();
const recordOf = async (scene: Scene, server: string) => {
  const { logins } = await scene.ports.index.read();
  const found = logins.find((login) => login.server === server && login.account === defaultAccount);
  assert.ok(found !== undefined, server);
  return found;
};

/** Two servers on one origin, which is the resource that both publish. */
function publishOrigin({ server, issuer }: OwnScene): readonly [string, string] {
  server.endpoints = ['/a/mcp', '/b/mcp'];
  server.documents = { [rootForm]: { resource: server.origin, authorization_servers: [issuer.issuer] } };
  return [`${server.origin}/a/mcp`, `${server.origin}/b/mcp`];
}

/** Two servers that differ in the query alone, below one resource. */
function publishProjects({ server, issuer }: OwnScene): readonly [string, string] {
  server.documents = { [pathForm]: { resource: server.url, authorization_servers: [issuer.issuer] } };
  return [`${server.url}?project=alpha`, `${server.url}?project=beta`];
}

/** Their items as releases before the server was in the binding wrote them: one key, and the last login's token in it. */
async function asVersion1(scene: Scene, logins: readonly LoginRecord[], key = 'f'.repeat(64)): Promise<void> {
  for (const login of logins) {
    const item = JSON.parse((await scene.ports.store.read(login.key))?.reveal() ?? '');
    const { server: _, ...binding } = item.binding;
    await scene.ports.store.write(key, new Secret(JSON.stringify({ ...item, binding, version: 1 })));
    if (login.key !== key) await scene.ports.store.remove(login.key);
  }
  const keys = new Set(logins.map((login) => login.key));
  await scene.ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((login) => (keys.has(login.key) ? { ...login, key } : login)),
  }));
}

for (const [what, publish] of [
  ['of one resource', publishOrigin],
  ['that differ in the query', publishProjects],
] as const) {
  test(`[R-5.1a] two servers ${what} have an item, a token and an end of their own`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const [a, b] = publish(own);
    const first = await scene.login({ server: a, name: 'first' });
    const second = await scene.login({ server: b });
    assert.equal(first.resource, second.resource);
    assert.notEqual(first.key, second.key);
    assert.deepEqual([await tokenOf(scene, first), await tokenOf(scene, second)], ['access-1', 'access-2']);

    const again = await scene.login({ server: a });
    assert.equal(again.key, first.key);
    assert.deepEqual([await tokenOf(scene, again), await tokenOf(scene, second)], ['access-3', 'access-2']);

    assert.deepEqual((await logout(scene.ports, { login: again, force: false, signal })).revocation, { done: true });
    assert.equal(await scene.ports.store.read(again.key), undefined);
    assert.equal(await tokenOf(scene, second), 'access-2');
    const { logins } = await scene.ports.index.read();
    assert.deepEqual(
      logins.map(({ server }) => server),
      [b],
    );
  });
}

test('[R-5.1a] an item of version 1 that no other login has is used, and rewritten with its server', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a] = publishProjects(own);
  await asVersion1(scene, [await scene.login({ server: a })]);
  const record = await recordOf(scene, a);
  assert.equal(await tokenOf(scene, record), 'access-1');
  const rewritten = JSON.parse((await scene.ports.store.read(record.key))?.reveal() ?? '');
  assert.deepEqual([rewritten.version, rewritten.binding.server], [2, a]);
  assert.equal(await tokenOf(scene, record), 'access-1');
});

test('an item of version 1 is rewritten under its lock alone, and never over what a refresh wrote meanwhile', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a] = publishProjects(own);
  await asVersion1(scene, [await scene.login({ server: a })]);
  const record = await recordOf(scene, a);
  const itemNow = async () => JSON.parse((await scene.ports.store.read(record.key))?.reveal() ?? '');
  {
    await using _refreshing = await scene.ports.locks.acquire(record.key, { waitMs: 0, signal });
    assert.equal(await tokenOf(scene, record), 'access-1');
    assert.equal((await itemNow()).version, 1);
  }
  const { acquire } = scene.ports.locks;
  const item = await itemNow();
  const refreshed = { ...item, version: 2, binding: { ...item.binding, server: a }, accessToken: 'refreshed' };
  const locks: Scene['ports']['locks'] = {
    acquire: async (name, options) => {
      const lock = await acquire(name, options);
      await scene.ports.store.write(record.key, new Secret(JSON.stringify(refreshed)));
      return lock;
    },
  };
  await validToken({ ...scene.ports, locks }, wish(record));
  assert.equal((await itemNow()).accessToken, 'refreshed');
});

test('[R-5.1a] an item of version 1 whose resource does not cover the server in the index gives no token: exit 3', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a] = publishProjects(own);
  await asVersion1(scene, [await scene.login({ server: a })]);
  const record = await recordOf(scene, a);
  for (const server of ['https://evil.example/mcp', `${own.server.origin}/other`, own.server.origin]) {
    // Whoever edits the index edits the record that is read.
    await scene.ports.index.update((document) => ({
      ...document,
      logins: document.logins.map((login) => ({ ...login, server })),
    }));
    const failure = await failureOf(validToken(scene.ports, wish({ ...record, server })), 'login_expired');
    assert.equal(failure.exit, 3);
    assert.match(failure.message, /issued for another address/);
    assert.match(failure.remedy, /^Run: postern login /);
  }
  const item = JSON.parse((await scene.ports.store.read(record.key))?.reveal() ?? '');
  assert.equal(item.version, 1);
});

test('[R-5.1a] an item of version 1 that two servers share is nobody’s: both are asked for again, whichever goes first', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a, b] = publishProjects(own);
  await asVersion1(scene, [await scene.login({ server: a }), await scene.login({ server: b })]);
  for (const server of [a, b]) {
    const failure = await failureOf(validToken(scene.ports, wish(await recordOf(scene, server))), 'login_expired');
    assert.equal(failure.exit, 3);
    assert.ok(failure.remedy.startsWith(`Run: postern login '${server}'`), failure.remedy);
  }
  // Logged in to again, one of them has an item of its own; what is left is still not known to be the other's.
  const fresh = await scene.login({ server: a });
  assert.equal(await tokenOf(scene, fresh), 'access-3');
  await failureOf(validToken(scene.ports, wish(await recordOf(scene, b))), 'login_expired');
  const told = (await status(scene.ports)).find(({ login }) => login.server === b);
  assert.equal(told?.state, 'dead');
  // Logged out of, it ends as it should, and nothing else does.
  const { revocation } = await logout(scene.ports, { login: await recordOf(scene, b), force: false, signal });
  assert.deepEqual(revocation, { done: true });
  assert.equal(await tokenOf(scene, fresh), 'access-3');
  assert.deepEqual((await scene.ports.index.read()).orphans, undefined);
});

test('[R-5.1a] log-out of one of two servers that share an item of version 1 revokes nothing of the other, and leaves it nothing to use', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a, b] = publishProjects(own);
  await asVersion1(scene, [await scene.login({ server: a }), await scene.login({ server: b })]);
  const { revocation } = await logout(scene.ports, { login: await recordOf(scene, a), force: false, signal });
  assert.ok(!revocation.done && revocation.why.includes(b), JSON.stringify(revocation));
  await failureOf(validToken(scene.ports, wish(await recordOf(scene, b))), 'login_expired');
});

test('one of them logs in with another client: the credential that the other uses stays', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a, b] = publishOrigin(own);
  await scene.login({ server: a });
  const second = await scene.login({ server: b });
  const moved = await scene.login({ server: a, registration: 'dynamic' });
  assert.notEqual(moved.key, second.key);
  assert.equal(await tokenOf(scene, second), 'access-2');
  assert.equal(await tokenOf(scene, moved), 'access-3');
});
