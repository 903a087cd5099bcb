import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { Relogin } from '../support/product.js';

for (const [status, challenge, code, exit] of [
  [401, 'Bearer error="invalid_token"', 'token_refused', 3],
  [403, 'Bearer error="insufficient_scope", scope="more"', 'insufficient_scope', 3],
  [403, 'Bearer realm="x"', 'http_failed', 8],
  [400, 'Bearer error="invalid_request"', 'http_failed', 8],
] as const) {
  test(`[R-7.1] a call that is answered ${status} with ${challenge}: ${code}, exit ${exit}`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const login = await keepLogin(scene, own);
    own.server.whenAuthorized = (_request, response) =>
      void response.writeHead(status, { 'www-authenticate': challenge }).end();
    const failure = await failureOf(listTools(scene, login), code);
    assert.equal(failure.exit, exit);
    assert.ok(failure.remedy.length > 10);
  });
}

for (const [status, error, code] of [
  [400, 'invalid_grant', 'invalid_grant'],
  [401, 'invalid_client', 'invalid_client'],
  [400, 'invalid_target', 'invalid_target'],
  [400, 'invalid_scope', 'invalid_scope'],
  [400, 'invalid_request', 'grant_refused'],
] as const) {
  test(`[R-7.1][A-122] a redemption that is answered ${status} ${error}: ${code}, exit 4, nothing kept`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onToken = () => [status, { error, error_description: 'no, thank you' }];
    const failure = await scene.loginFails(code, { server: own.server.url });
    assert.equal(failure.exit, 4);
    assert.match(failure.message, /no, thank you/);
    assert.deepEqual((await scene.ports.index.read()).logins, []);
  });
}

for (const [error, code] of [
  ['access_denied', 'denied'],
  ['invalid_scope', 'invalid_scope'],
  ['temporarily_unavailable', 'authorization_refused'],
] as const) {
  test(`[R-7.1][A-87] an authorization that ends with ${error}: ${code}, exit 4, nothing redeemed`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onAuthorization = (answer) => {
      answer.delete('code');
      answer.set('error', error);
    };
    const failure = await scene.loginFails(code, { server: own.server.url });
    assert.equal(failure.exit, 4);
    assert.deepEqual(own.issuer.forms, []);
  });
}

test('[A-80] a step-up names what is new, and the host that asks, before the browser is opened once more', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['server-403-always']);
  const told = scene.ports.told.length;
  const relogin: Relogin = async (held, scopes) => {
    const widened = await scene.login({ scopes, heldScopes: held.scopes });
    scene.sandbox.setFaults([]);
    return widened;
  };
  await listTools(scene, login, relogin);
  const lines = scene.ports.told.slice(told);
  assert.ok(lines.includes('Additional scope: notes:write'), lines.join('\n'));
  assert.ok(lines.some((line) => line.includes(login.server)));
  assert.ok(!lines.some((line) => /^Additional scope:.*mcp:basic/.test(line)), 'what was held is not new');
  assert.equal(scene.ports.opened.length, 2, 'the person is asked, nothing is approved by itself');
});
