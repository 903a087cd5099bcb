import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshToken } from '../../support/flows/calls.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, restarted, type Scene, type WantedLogin } from '../../support/flows/scene.js';
import { walkLogin } from '../../support/product.js';

const registrations = async (scene: Scene) => (await scene.ports.index.read()).registrations;

test('a registration that the server forgot: the login that no answer came to says so, the next one registers anew', async () => {
  await using scene = await openScene({}, { msAfterWalk: 20_000 });
  const first = await scene.login();
  await using sandbox = await restarted(scene);
  const failure = await scene.loginFails('login_timed_out');
  assert.match(failure.remedy, /show an error\?.*Add --registration dynamic, which registers a new client\./);
  assert.equal(sandbox.stats.registrations, 0);
  const second = await scene.login();
  assert.notEqual(second.clientId, first.clientId);
  assert.equal(sandbox.stats.registrations, 1);
  assert.ok(scene.ports.told.some((line) => line.includes('registering a new client')));
  const third = await scene.login();
  assert.equal(third.clientId, second.clientId, 'which is then kept');
});

test('Ctrl-C is answered with no advice; the next login registers anew where the server has forgotten the client, and only there', async () => {
  for (const isForgotten of [true, false]) {
    const interruption = new AbortController();
    let interrupts = false;
    const browse = async (url: string) => {
      const isInterrupting = interrupts;
      if (!isInterrupting || isForgotten) await walkLogin(url).catch(() => undefined);
      if (isInterrupting) interruption.abort(new Error('Ctrl-C'));
    };
    await using scene = await openScene({}, { browse, interactive: true });
    const first = await scene.login();
    await using sandbox = isForgotten ? await restarted(scene) : scene.sandbox;
    interrupts = true;
    await assert.rejects(scene.login({ signal: interruption.signal }), /Ctrl-C/);
    assert.doesNotMatch(scene.ports.told.join('\n'), /show an error/);
    interrupts = false;
    assert.equal((await scene.login()).clientId === first.clientId, !isForgotten);
    assert.equal(sandbox.stats.registrations, 1);
    const { told } = scene.ports;
    assert.equal(told.includes('Last login wasn’t completed; registering a new client.'), isForgotten);
  }
});

test('the old registration stays as long as another login uses it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const server = own.server.url;
  const other = await scene.login({ server, account: 'other' });
  const mine = await scene.login({ server });
  assert.equal(mine.clientId, other.clientId);
  const quiet: Partial<WantedLogin> = { server, mode: 'no-browser', timeoutMs: 200 };
  await scene.loginFails('login_timed_out', quiet);
  const anew = await scene.login({ server });
  assert.deepEqual(
    (await registrations(scene)).map(({ clientId }) => clientId),
    [other.clientId, anew.clientId],
  );
  scene.ports.advance(299_000);
  await freshToken(scene, other);
  assert.equal(own.issuer.forms.at(-1)?.fields.get('client_id'), other.clientId);
  await scene.login({ server, account: 'other' });
  await scene.loginFails('login_timed_out', quiet);
  const last = await scene.login({ server });
  assert.ok(
    (await registrations(scene)).every(({ clientId }) => clientId !== other.clientId),
    'nobody uses it now',
  );
  assert.notEqual(last.clientId, anew.clientId);
});

test('[A-56] somebody who never gets through is registered three times an hour at most, and is never refused a try', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const change: Partial<WantedLogin> = { server: own.server.url, mode: 'no-browser', timeoutMs: 50 };
  for (let tries = 0; tries < 9; tries += 1) await scene.loginFails('login_timed_out', change);
  assert.equal(own.issuer.registrations.length, 3);
  await scene.login({ server: own.server.url });
  assert.equal((await registrations(scene))[0]?.doubted, false, 'an answer came: there is nothing to doubt');
});

test('a server that registers nobody any more: the kept registration is used once more', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const server = own.server.url;
  const { clientId } = await scene.login({ server });
  await scene.loginFails('login_timed_out', { server, mode: 'no-browser', timeoutMs: 50 });
  own.issuer.onRegistration = () => [403, { error: 'access_denied' }];
  assert.equal((await scene.login({ server })).clientId, clientId);
});

test('a client that is not known ends the wait as soon as the device endpoint says so', async () => {
  await using scene = await openScene();
  const client = { clientId: 'nope', secret: undefined, issuer: undefined, redirectUri: undefined };
  const failure = await scene.loginFails('invalid_client', { client, mode: 'no-browser', timeoutMs: 60_000 });
  assert.match(failure.remedy, /passed --client-id, check it/);
});
