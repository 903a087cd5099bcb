import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

for (const [status, challenge, code, exit] of [
  [401, 'Bearer error="invalid_token"', 'token_refused', 3],
  [403, 'Bearer realm="x"', 'http_failed', 8],
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
