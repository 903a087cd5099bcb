import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshToken } from '../../support/flows/calls.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene } from '../../support/flows/scene.js';

const [code, refresh] = ['authorization_code', 'refresh_token'];

/** The grants of every registration that the sandbox was asked for. */
const asked = (scene: Scene) =>
  scene.sandbox.requests
    .filter(({ path }) => path === '/register')
    .map(({ body }) => (JSON.parse(body) as { grant_types: string[] }).grant_types);

test('what is refused as too much is asked for once more with the least, and the login goes on', async () => {
  await using scene = await openScene({ faults: ['registration-code-only'] });
  const record = await scene.login();
  assert.equal(record.refreshable, false);
  assert.deepEqual(asked(scene), [[code, refresh], [code]]);
  await scene.login();
  assert.equal(asked(scene).length, 2, 'what was got is kept');
});

test('[Q-6.18][Q-6.19] refresh_token is asked for though the metadata leave it out, as Glewlwyd’s do; where it is refused, the rest is', async () => {
  for (const isRefused of [false, true]) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.metadata = { ...own.issuer.metadata, grant_types_supported: [code], scopes_supported: ['notes'] };
    const { onRegistration } = own.issuer;
    own.issuer.onRegistration = (wanted) =>
      isRefused && (wanted['grant_types'] as string[]).includes(String(refresh))
        ? [400, { error: 'invalid_client_metadata' }]
        : onRegistration(wanted);
    await scene.login({ server: own.server.url, scopes: ['notes'] });
    const sent = own.issuer.registrations.map(({ grant_types, scope }) => [grant_types, scope]);
    const first = [[code, refresh], 'notes'];
    assert.deepEqual(sent, isRefused ? [first, [[code], 'notes']] : [first]);
  }
});

test('a refresh that is refused since the client may not refresh: the next login registers anew', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const wish = { server: own.server.url };
  const login = await scene.login(wish);
  own.issuer.onToken = () => [400, { error: 'unauthorized_client' }];
  scene.ports.advance(600_000);
  await assert.rejects(freshToken(scene, login));
  own.issuer.onToken = () => [200, { access_token: 'a', token_type: 'Bearer' }];
  await scene.login(wish);
  assert.equal(own.issuer.registrations.length, 2);
});

test('[A-132] a registration endpoint that is out of order is to be asked later, and when; nobody is sent to register by hand', async () => {
  for (const status of [429, 503]) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onRegistration = () => [status, { message: 'too many today' }];
    const failure = await scene.loginFails('registration_failed', { server: own.server.url });
    assert.equal(failure.exit, 6);
    assert.match(failure.message, new RegExp(`responded ${status} \\("too many today"\\)`));
    assert.match(failure.remedy, /^Try again in a while\.$/);
    assert.equal(own.issuer.registrations.length, 1);
  }
});

test('[Q-6.12][A-55] a refusal that is not about grants or scopes is asked about once', async () => {
  for (const [status, error, code] of [
    [400, 'invalid_redirect_uri', 'redirect_uri_refused'],
    [403, 'access_denied', 'registration_refused'],
  ] as const) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onRegistration = () => [status, { error, error_description: 'no, said the server' }];
    const failure = await scene.loginFails(code, { server: own.server.url });
    assert.match(failure.message, /no, said the server/);
    assert.equal(own.issuer.registrations.length, 1);
  }
});
