import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene, type WantedLogin } from '../../support/flows/scene.js';

const [code, refresh, device] = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];

/** The grants of every registration that the sandbox was asked for. */
const asked = (scene: Scene) =>
  scene.sandbox.requests
    .filter(({ path }) => path === '/register')
    .map(({ body }) => (JSON.parse(body) as { grant_types: string[] }).grant_types);

const shown: Partial<WantedLogin> = { mode: 'no-browser', timeoutMs: 300 };

test('a registration asks for the grants that are going to be used: a code by typing only where one is shown', async () => {
  await using scene = await openScene();
  await scene.login();
  assert.deepEqual(asked(scene), [[code, refresh]]);
  await scene.loginFails('login_timed_out', shown);
  assert.deepEqual(asked(scene).slice(1), [[code, refresh, device]], 'asked for once it is used');
  await scene.login();
  assert.equal(asked(scene).length, 2, 'and kept for logins without');
});

test('a server that refuses a registration for the device grant is asked again without it', async () => {
  await using scene = await openScene({ faults: ['registration-no-device'] });
  await scene.loginFails('login_timed_out', shown);
  assert.deepEqual(asked(scene), [
    [code, refresh, device],
    [code, refresh],
  ]);
});

test('what is refused as too much is asked for once more with the least, and the login goes on', async () => {
  await using scene = await openScene({ faults: ['registration-code-only'] });
  const record = await scene.login();
  assert.equal(record.refreshable, false);
  assert.deepEqual(asked(scene), [[code, refresh], [code]]);
  await scene.login();
  assert.equal(asked(scene).length, 2, 'what was got is kept');
});

test('[Q-6.18][Q-6.19] a refresh token is not asked for where the authorization server says that it has none', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, grant_types_supported: [code] };
  await scene.login({ server: own.server.url });
  assert.deepEqual(own.issuer.registrations[0]?.['grant_types'], [code]);
});

test('[Q-6.12][A-55] a refusal that is not about grants or scopes is asked about once', async () => {
  for (const [status, error, code] of [
    [400, 'invalid_redirect_uri', 'redirect_uri_refused'],
    [403, 'access_denied', 'registration_refused'],
    [429, 'slow_down', 'registration_refused'],
  ] as const) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onRegistration = () => [status, { error, error_description: 'no, said the server' }];
    const failure = await scene.loginFails(code, { server: own.server.url });
    assert.match(failure.message, /no, said the server/);
    assert.equal(own.issuer.registrations.length, 1);
  }
});
