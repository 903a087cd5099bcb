import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshToken } from '../support/flows/calls.js';
import { keepLogin, type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { pathForm } from '../support/flows/own-server.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord } from '../support/product.js';

/** From now on the metadata of `own` sends everything to `elsewhere`. */
function flip(own: OwnScene, elsewhere: OwnScene): void {
  const { issuer } = elsewhere.issuer;
  own.issuer.metadata = {
    ...own.issuer.metadata,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    registration_endpoint: `${issuer}/register`,
  };
}

test('[A-48] metadata that changes while the person logs in: the code goes where it was said before', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  own.issuer.onAuthorization = () => flip(own, elsewhere);
  await scene.login({ server: own.server.url });
  assert.deepEqual([own.issuer.forms.length, elsewhere.issuer.requests], [1, []]);
  const reads = own.issuer.requests.filter((line) => line.includes('well-known'));
  assert.equal(reads.length, 1, 'and nothing is read a second time');
});

test('[A-49] metadata that changes before the refresh: the refresh token goes to the recorded endpoint alone', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  const login = await keepLogin(scene, own);
  flip(own, elsewhere);
  scene.ports.advance(299_000);
  await freshToken(scene, login);
  assert.equal(own.issuer.forms.at(-1)?.fields.get('grant_type'), 'refresh_token');
  assert.deepEqual(elsewhere.issuer.requests, []);
});

for (const forge of [
  ['issuer', (elsewhere: OwnScene) => ({ issuer: elsewhere.issuer.issuer })],
  ['resource', (elsewhere: OwnScene) => ({ resource: elsewhere.server.url })],
  ['client', () => ({ clientId: 'another-client' })],
  ['account', () => ({ account: 'another' })],
  ['item', (_: OwnScene, other: LoginRecord) => ({ key: other.key })],
] as const) {
  const [what, change] = forge;
  test(`[A-49] the index is changed by another program (${what}): the credential is not its own, and nothing is sent`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    await using elsewhere = await openOwnScene();
    const login = await keepLogin(scene, own);
    const other = await keepLogin(scene, elsewhere, 'other');
    scene.ports.advance(299_000);
    const forms = () => [own.issuer.forms.length, elsewhere.issuer.forms.length];
    const before = forms();
    const failure = await failureOf(freshToken(scene, { ...login, ...change(elsewhere, other) }), 'credential_corrupt');
    assert.equal(failure.exit, 7);
    assert.deepEqual(forms(), before);
  });
}

test('[A-49] what of the index only tells (registration, scopes, times) sends nothing elsewhere', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(299_000);
  const expiresAt = scene.ports.clock.now() + 3_600_000;
  const forged = { ...login, expiresAt, scopes: ['admin'], registration: 'preregistered' } as const;
  await freshToken(scene, forged);
  const form = own.issuer.forms.at(-1)?.fields;
  assert.equal(form?.get('grant_type'), 'refresh_token', 'the times of the credential count');
  assert.doesNotMatch(form?.get('scope') ?? '', /admin/);
});

test('[A-29] documents that claim to be good for ever are read anew by each login', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const forever = { 'cache-control': 'max-age=1000000000000', age: '-1', expires: 'Fri, 31 Dec 9999 23:59:59 GMT' };
  own.server.headers = forever;
  own.issuer.headers = forever;
  await scene.login({ server: own.server.url });
  own.server.documents = {
    [pathForm]: { resource: 'https://bank.example/mcp', authorization_servers: [own.issuer.issuer] },
  };
  await scene.loginFails('resource_mismatch', { server: own.server.url });
});

test('[A-29] an error answer is not remembered either', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { documents } = own.server;
  own.server.documents = {};
  await scene.loginFails('discovery_failed', { server: own.server.url });
  own.server.documents = documents;
  await scene.login({ server: own.server.url });
});

test('[A-34][R-5.8c] as-endpoint-private: refused before anything is registered or opened, nothing is sent there', async () => {
  await using scene = await openScene({ faults: ['as-endpoint-private'] });
  const failure = await scene.loginFails('address_refused');
  assert.equal(failure.exit, 5);
  assert.deepEqual([scene.ports.opened, scene.sandbox.stats.registrations], [[], 0]);
});

for (const endpoint of ['token_endpoint', 'authorization_endpoint']) {
  test(`[A-34][R-5.8c] the ${endpoint} is plain http at a public address: refused before anything is registered or opened`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.metadata = { ...own.issuer.metadata, [endpoint]: 'http://93.184.215.14/here' };
    const failure = await scene.loginFails('url_refused', { server: own.server.url });
    assert.equal(failure.exit, 5);
    assert.deepEqual([scene.ports.opened, own.issuer.registrations], [[], []]);
  });

  test(`[A-34][A-68] the ${endpoint} is where nothing is ever sent: refused before anything is registered or opened`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.metadata = { ...own.issuer.metadata, [endpoint]: 'https://169.254.169.254/here' };
    const failure = await scene.loginFails('address_refused', { server: own.server.url });
    assert.equal(failure.exit, 5);
    assert.deepEqual([scene.ports.opened, own.issuer.registrations], [[], []]);
  });
}

test('[R-5.8d] the redirect URI that is registered and asked for is loopback, by address', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await scene.login({ server: own.server.url });
  const { redirect_uris: registered, application_type: type } = own.issuer.registrations[0] ?? {};
  assert.ok(Array.isArray(registered));
  const uris: unknown[] = [own.issuer.authorizations[0]?.get('redirect_uri'), ...registered];
  assert.equal(uris.length, 2);
  for (const uri of uris) assert.match(String(uri), /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.equal(type, 'native');
});
