import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientCredentialsLogin } from '../../../src/login/client/client-credentials.js';
import { keepLogin, openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { Secret } from '../../support/product.js';

/** A login at an issuer whose token endpoint then moves to another host. */
async function openMove(flow: Parameters<typeof openScene>[1] = {}) {
  const scene = await openScene({}, flow);
  const own = await openOwnScene();
  const elsewhere = await openOwnScene();
  const before = await keepLogin(scene, own);
  own.issuer.metadata = { ...own.issuer.metadata, token_endpoint: `${elsewhere.issuer.issuer}/token` };
  return {
    scene,
    own,
    elsewhere,
    before,
    [Symbol.asyncDispose]: async () => {
      await elsewhere[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

test('[A-49][R-2.1b] the token endpoint moves to another host: in a script nothing is sent there, exit 3 names the command', async () => {
  await using move = await openMove();
  const { scene, own, elsewhere } = move;
  const item = (await scene.ports.store.read(move.before.key))?.reveal();
  const opened = scene.ports.opened.length;
  const failure = await scene.loginFails('endpoints_moved', { server: own.server.url });
  assert.equal(failure.exit, 3);
  assert.equal(
    failure.remedy,
    `If you trust the change, run: postern login ${own.server.url} --authorization-server ${own.issuer.issuer}`,
  );
  assert.deepEqual([elsewhere.issuer.requests, scene.ports.opened.length], [[], opened]);
  assert.equal((await scene.ports.store.read(move.before.key))?.reveal(), item);
  await scene.login({ server: own.server.url, issuer: own.issuer.issuer });
  assert.equal(elsewhere.issuer.forms.length, 1, 'a person has agreed');
  await scene.login({ server: own.server.url });
  assert.equal(elsewhere.issuer.forms.length, 2, 'and need not do so again');
});

test('[A-49] at a terminal the person is asked; no is no', async () => {
  for (const [typed, logins] of [
    ['n', 0],
    ['y', 1],
  ] as const) {
    await using move = await openMove({ interactive: true, typed: [typed] });
    const { scene, own, elsewhere } = move;
    const login = scene.login({ server: own.server.url });
    if (logins === 0) await failureOf(login, 'endpoints_moved');
    else await login;
    assert.equal(elsewhere.issuer.forms.length, logins);
    assert.match(scene.ports.told.join('\n'), /moved its endpoints .* to another host/);
  }
});

test('[A-49] the endpoint for pushed requests, to which a client’s secret goes, too, is none on another host unasked', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  await scene.login({ server: own.server.url });
  own.issuer.metadata = {
    ...own.issuer.metadata,
    require_pushed_authorization_requests: true,
    pushed_authorization_request_endpoint: `${elsewhere.issuer.issuer}/pushed`,
  };
  const failure = await scene.loginFails('endpoints_moved', { server: own.server.url });
  assert.equal(failure.exit, 3);
  assert.deepEqual(elsewhere.issuer.requests, []);
});

test('[A-49][A-197] a client that logs in as itself sends its secret nowhere else; what a newer release wrote is not replaced', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  const { issuer } = own.issuer;
  const client = { clientId: 'machine', secret: new Secret('s'), issuer, redirectUri: undefined };
  const logIn = () => clientCredentialsLogin(scene.ports, scene.request({ server: own.server.url, client }));
  const { key } = await logIn();
  own.issuer.metadata = { ...own.issuer.metadata, token_endpoint: `${elsewhere.issuer.issuer}/token` };
  assert.equal((await failureOf(logIn(), 'endpoints_moved')).exit, 3);
  assert.deepEqual(elsewhere.issuer.requests, []);
  const newer = '{"version":99,"binding":{}}';
  await scene.ports.store.write(key, new Secret(newer));
  const failure = await failureOf(logIn(), 'credential_newer');
  assert.match(failure.remedy, /Update postern/);
  assert.equal((await scene.ports.store.read(key))?.reveal(), newer);
});
