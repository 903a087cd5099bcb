import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout } from '../../src/login/logout/logout.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { pathForm, rootForm } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import type { LoginRecord } from '../support/product.js';

const { signal } = new AbortController();

const wish = (login: LoginRecord) => ({ login, minLifeMs: 60_000, rejected: undefined, signal });
const tokenOf = async (scene: Scene, login: LoginRecord) =>
  (await validToken(scene.ports, wish(login))).accessToken.reveal();
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
