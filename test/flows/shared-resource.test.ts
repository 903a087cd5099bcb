import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout } from '../../src/flows/logout.js';
import { validToken } from '../../src/flows/token/valid-token.js';
import type { LoginRecord } from '../../src/primitives/records.js';
import { type OwnScene, openOwnScene } from './own-scene.js';
import { rootForm } from './own-server.js';
import { openScene, type Scene } from './scene.js';

const { signal } = new AbortController();

const tokenOf = async (scene: Scene, login: LoginRecord) =>
  (
    await validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal })
  ).accessToken.reveal();

/** Two servers on one origin, which is the resource that both publish. */
function publishOrigin({ server, issuer }: OwnScene): readonly [string, string] {
  server.endpoints = ['/a/mcp', '/b/mcp'];
  server.documents = {
    [rootForm]: { resource: server.origin, authorization_servers: [issuer.issuer] },
  };
  return [`${server.origin}/a/mcp`, `${server.origin}/b/mcp`];
}

test('two servers of one resource: the second login leaves the first, and both use the newest token', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a, b] = publishOrigin(own);
  const first = await scene.login({ server: a, name: 'first' });
  const second = await scene.login({ server: b });
  assert.equal(first.key, second.key);
  const { logins } = await scene.ports.index.read();
  assert.deepEqual(
    logins.map(({ server, name }) => [server, name]),
    [
      [a, 'first'],
      [b, undefined],
    ],
  );
  assert.deepEqual([await tokenOf(scene, first), await tokenOf(scene, second)], ['access-2', 'access-2']);
  assert.equal(logins[0]?.expiresAt, logins[1]?.expiresAt);
});

test('log-out of one of them leaves the other its token, and says why nothing was revoked; the last one revokes', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [a, b] = publishOrigin(own);
  const first = await scene.login({ server: a });
  const second = await scene.login({ server: b });
  const { revocation } = await logout(scene.ports, { login: first, force: false, signal });
  assert.ok(!revocation.done && revocation.why.includes(b), JSON.stringify(revocation));
  assert.equal(await tokenOf(scene, second), 'access-2');
  assert.deepEqual((await logout(scene.ports, { login: second, force: false, signal })).revocation, {
    done: true,
  });
  assert.equal(await scene.ports.store.read(second.key), undefined);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
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
