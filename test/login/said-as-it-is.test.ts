import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceLogin } from '../../src/login/device/device-login.js';
import { hurried } from '../support/flows/hurried.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

for (const [error, code, remedy] of [
  ['access_denied', 'denied', /^To log in after all, .* If it was not you who said no, ask the operator for access/],
  ['consent_required', 'denied', /allow what it asks for/],
  ['unauthorized_client', 'unauthorized_client', /does not accept this client/],
  ['invalid_scope', 'invalid_scope', /--scope/],
  ['temporarily_unavailable', 'authorization_refused', /in a while/],
] as const) {
  test(`[A-87] an authorization that ends with ${error} is told as what it is, with the server’s words`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onAuthorization = (answer) => {
      answer.delete('code');
      answer.set('error', error);
      answer.set('error_description', 'ask Bob for a seat');
    };
    const failure = await scene.loginFails(code, { server: own.server.url });
    assert.match(failure.remedy, remedy);
    assert.match(failure.message, /"ask Bob for a seat"/);
    assert.equal(failure.exit, 4);
  });
}

test('a client that may not log in by a code is told so, with the command that does without one', async () => {
  for (const error of ['unauthorized_client', 'unsupported_grant_type']) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const { issuer } = own.issuer;
    own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/token` };
    own.issuer.onToken = () => [400, { error, error_description: 'codes are off' }];
    const request = scene.request({ server: own.server.url, account: 'home' });
    const failure = await failureOf(deviceLogin(scene.ports, request), error);
    assert.match(failure.message, /"codes are off"/);
    assert.ok(
      failure.remedy.endsWith(`run: postern login ${own.server.url} --account home --no-browser`),
      failure.remedy,
    );
  }
});

test('a no to a code comes with the server’s words, too', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { issuer } = own.issuer;
  own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/token` };
  const code = { device_code: 'd', user_code: 'ABCD', verification_uri: `${issuer}/device`, expires_in: 600 };
  own.issuer.onToken = ({ fields }) =>
    fields.has('grant_type') ? [400, { error: 'access_denied', error_description: 'no licence left' }] : [200, code];
  const { ports } = hurried(scene.ports, async () => undefined);
  const failure = await failureOf(deviceLogin(ports, scene.request({ server: own.server.url })), 'denied');
  assert.match(failure.message, /"no licence left"/);
});
