import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshToken } from '../../support/flows/calls.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, restarted, type WantedLogin } from '../../support/flows/scene.js';
import { walkLogin } from '../../support/product.js';

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
  const third = await scene.login();
  assert.equal(third.clientId, second.clientId, 'which is then kept');
});

test('Ctrl-C is answered with no advice; the next login registers anew', async () => {
  const interruption = new AbortController();
  let interrupts = false;
  const browse = async (url: string) => {
    if (interrupts) interruption.abort(new Error('Ctrl-C'));
    else await walkLogin(url).catch(() => undefined);
  };
  await using scene = await openScene({}, { browse, interactive: true });
  const first = await scene.login();
  interrupts = true;
  await assert.rejects(scene.login({ signal: interruption.signal }), /Ctrl-C/);
  assert.doesNotMatch(scene.ports.told.join('\n'), /show an error/);
  interrupts = false;
  assert.notEqual((await scene.login()).clientId, first.clientId);
});

test('the login of another account goes on with the client that is registered anew for this one', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const server = own.server.url;
  const other = await scene.login({ server, account: 'other' });
  assert.equal((await scene.login({ server })).clientId, other.clientId);
  await scene.loginFails('login_timed_out', { server, mode: 'no-browser', timeoutMs: 200 });
  assert.notEqual((await scene.login({ server })).clientId, other.clientId);
  scene.ports.advance(299_000);
  await freshToken(scene, other);
  assert.equal(own.issuer.forms.at(-1)?.fields.get('client_id'), other.clientId);
});

test('[A-56] somebody who never gets through is registered three times an hour at most, and is never refused a try', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const change: Partial<WantedLogin> = { server: own.server.url, mode: 'no-browser', timeoutMs: 50 };
  for (let tries = 0; tries < 9; tries += 1) await scene.loginFails('login_timed_out', change);
  assert.equal(own.issuer.registrations.length, 3);
  await scene.login({ server: own.server.url });
});
