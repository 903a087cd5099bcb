import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { logout, logoutOfAll } from '../../../src/login/logout/logout.js';
import { credentialKey } from '../../../src/stores/credential-item.js';
import { validToken } from '../../../src/tokens/valid-token.js';
import { keepLogin, type OwnScene, openOwnScene } from '../../support/flows/own-scene.js';
import { loggedInOnce, openScene, type Scene } from '../../support/flows/scene.js';
import { defaultLimits, type LoginRecord, Secret, type SecretStore } from '../../support/product.js';

const loggedIn = loggedInOnce();

const end = (scene: Scene, login: Parameters<typeof logout>[1]['login']) =>
  logout(scene.ports, { login, force: false, signal: new AbortController().signal });

/** Uses a refresh token from the outside, as a thief would. */
function refreshWith(scene: Scene, token: string, clientId: string): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId,
    resource: scene.sandbox.serverUrl,
  });
  return fetch(`${scene.sandbox.issuer}/token`, { method: 'POST', body });
}

async function refreshTokenOf(scene: Scene, key: string): Promise<string> {
  const item: unknown = JSON.parse((await scene.ports.store.read(key))?.reveal() ?? '{}');
  assert.ok(typeof item === 'object' && item !== null && 'refreshToken' in item);
  return String(item.refreshToken);
}

test('log-out revokes the refresh token, takes everything of this login away, and leaves the others alone', async () => {
  await using scene = await openScene();
  const work = await scene.login({ account: 'work', name: 'work' });
  const home = await scene.login({ account: 'home' });
  const [workToken, homeToken] = [await refreshTokenOf(scene, work.key), await refreshTokenOf(scene, home.key)];
  const homeItem = await scene.ports.store.read(home.key);
  const tools = { at: scene.ports.clock.now(), isWhole: true, tools: [] };
  for (const { key } of [work, home]) await scene.ports.toolLists.keep(key, tools);
  const { revocation } = await end(scene, work);
  assert.deepEqual(revocation, { done: true });
  assert.equal(scene.sandbox.stats.revocations, 1);
  assert.equal((await refreshWith(scene, workToken, work.clientId)).status, 400, 'it works no longer');
  assert.equal(await scene.ports.store.read(work.key), undefined);
  const kept = async (key: string) => (await scene.ports.toolLists.read(key, scene.ports.clock.now())) !== undefined;
  assert.deepEqual([await kept(work.key), await kept(home.key)], [false, true], 'nor what its server listed');
  const { logins, registrations } = await scene.ports.index.read();
  assert.deepEqual({ ...logins[0] }, home);
  assert.equal(logins.length, 1);
  assert.equal((await scene.ports.store.read(home.key))?.reveal(), homeItem?.reveal());
  assert.equal((await refreshWith(scene, homeToken, home.clientId)).status, 200, 'the other one still does');
  assert.equal(registrations.length, 1, 'the registration serves the next login');
});

test('log-out of a login without a refresh token revokes its access token', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onToken = () => [200, { access_token: 'only-this', token_type: 'Bearer' }];
  const login = await keepLogin(scene, own);
  assert.deepEqual((await end(scene, login)).revocation, { done: true });
  assert.deepEqual(revocations(own), ['POST /revoke']);
});

test('[A-152] a revocation that is refused: forgotten here, and said with the code that came, made harmless', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = async () => {
    const { issuer } = own.issuer;
    own.issuer.metadata = { ...own.issuer.metadata, revocation_endpoint: `${issuer}/token` };
    own.issuer.onToken = () => [200, { access_token: 'only-this', token_type: 'Bearer' }];
    return keepLogin(scene, own);
  };
  for (const [error, said] of [
    ['unsupported_token_type', ' "unsupported_token_type"'],
    ['\u001b[2J', ' "\\x1b[2J"'],
    [7, ''],
  ] as const) {
    const held = await login();
    own.issuer.onToken = () => [400, { error }];
    const { revocation } = await end(scene, held);
    assert.ok(!revocation.done && revocation.why.endsWith(`400${said}`), JSON.stringify(revocation));
  }
});

const revocations = ({ issuer }: OwnScene) => issuer.requests.filter((line) => line.includes('revoke'));

for (const [fault, told] of [
  ['revocation-500', /\b500\b/],
  ['revocation-redirect', /redirect/i],
  ['revocation-slow', /\b1 s/],
] as const) {
  test(`[A-152] ${fault}: forgotten here all the same, and the truth is told`, async () => {
    await using scene = await loggedIn({ limits: { ...defaultLimits, revocationSeconds: 1 } });
    const { held: login } = scene;
    scene.sandbox.setFaults([fault]);
    const { revocation } = await end(scene, login);
    assert.ok(!revocation.done && told.test(revocation.why), JSON.stringify(revocation));
    assert.equal(await scene.ports.store.read(login.key), undefined);
    assert.deepEqual((await scene.ports.index.read()).logins, []);
    assert.ok(!scene.sandbox.requests.some(({ path }) => path.includes('stolen')), 'no redirect is followed');
  });
}

test('[A-152] the credential is gone before the authorization server is told', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const { http, store, index } = scene.ports;
  const seen: unknown[] = [];
  const send: typeof http.send = async (request) => {
    seen.push(await store.read(login.key), (await index.read()).logins);
    return http.send(request);
  };
  await logout(
    { ...scene.ports, http: { ...http, send } },
    { login, force: false, signal: new AbortController().signal },
  );
  assert.deepEqual(seen, [undefined, []]);
});

test('[A-152] the authorization server cannot be reached, or offers no revocation: forgotten, and said', async () => {
  await using scene = await openScene();
  const own = await openOwnScene();
  const gone = await keepLogin(scene, own);
  await own[Symbol.asyncDispose]();
  const first = await end(scene, gone);
  assert.ok(!first.revocation.done && /refuses connections/.test(first.revocation.why));
  await using another = await openOwnScene();
  another.issuer.metadata = { ...another.issuer.metadata, revocation_endpoint: undefined };
  const second = await end(scene, await scene.login({ server: another.server.url }));
  assert.deepEqual(second.revocation, { done: false, why: 'the authorization server offers no revocation' });
  assert.deepEqual((await scene.ports.index.read()).logins, []);
});

test('log-out of a login whose item is damaged or gone: the record goes, nothing is sent', async () => {
  for (const spoil of [
    (store: SecretStore, key: string) => store.write(key, new Secret('{')),
    (store: SecretStore, key: string) => store.remove(key),
  ]) {
    await using scene = await loggedIn();
    const { held: login } = scene;
    assert.equal(login.key, await credentialKey(login));
    await spoil(scene.ports.store, login.key);
    const { revocation } = await end(scene, login);
    assert.equal(revocation.done, false);
    assert.deepEqual((await scene.ports.index.read()).logins, []);
    assert.equal(scene.sandbox.stats.revocations, 0);
  }
});

for (const [next, run] of [
  ['a login there', (scene: Scene) => scene.login({ account: 'again' })],
  [
    'a refresh of another login there',
    async (scene: Scene, other: LoginRecord) => {
      const { signal } = new AbortController();
      await validToken(scene.ports, { login: other, minLifeMs: 400_000, signal });
    },
  ],
  [
    'log-out of all',
    (scene: Scene) => logoutOfAll(scene.ports, { force: false, signal: new AbortController().signal }),
  ],
] as const) {
  test(`[A-152] log-out ends between forgetting and revoking: ${next} revokes the refresh token, and nothing of it is kept`, async () => {
    await using scene = await openScene();
    const login = await scene.login({ account: 'work' });
    const other = await scene.login({ account: 'home' });
    const token = await refreshTokenOf(scene, login.key);
    const ending = new AbortController();
    const http = {
      ...scene.ports.http,
      send: async () => {
        ending.abort();
        throw ending.signal.reason;
      },
    };
    await assert.rejects(logout({ ...scene.ports, http }, { login, force: false, signal: ending.signal }));
    assert.equal(scene.sandbox.stats.revocations, 0);
    const text = () => readFileSync(join(scene.folder, 'state', 'logins.json'), 'utf8');
    assert.match(text(), /pendingRevocations/);
    assert.ok(!text().includes(token));
    await run(scene, other);
    assert.ok(scene.sandbox.stats.revocations > 0);
    assert.equal((await refreshWith(scene, token, login.clientId)).status, 400, 'it works no longer');
    assert.doesNotMatch(text(), /pendingRevocations|strays/);
  });
}
