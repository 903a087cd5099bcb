import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshToken } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { createLocks, type LoginPorts, type LoginRecord } from '../support/product.js';

const fresh = (ports: LoginPorts, login: LoginRecord) => freshToken({ ports }, login);

/** The same home on another machine: the files are the same, the locks are not seen. */
const elsewhere = (scene: Scene): LoginPorts => ({
  ...scene.ports,
  locks: createLocks({ directory: join(scene.folder, 'other-locks'), clock: scene.ports.clock }),
});

/** An authorization server with rotation: a refresh token works once; what `meanwhile` does, is done before the answer. */
async function openRotation() {
  const scene = await openScene();
  const own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const { onToken } = own.issuer;
  const spent = new Set<string>();
  own.issuer.onToken = (form) => {
    const token = form.fields.get('refresh_token') ?? '';
    if (spent.has(token)) return [400, { error: 'invalid_grant' }];
    spent.add(token);
    return onToken(form);
  };
  scene.ports.advance(299_000);
  return {
    scene,
    own,
    login,
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

test('[A-135] the loser of a race that no lock held looks again, takes the winner’s token, and deletes nothing', async () => {
  await using rotation = await openRotation();
  const { scene, own, login } = rotation;
  // The other machine has read the refresh token, and is overtaken before it sends it.
  const { http } = scene.ports;
  let winner = '';
  const send: typeof http.send = async (request) => {
    if (winner === '' && String(request.body).includes('grant_type=refresh_token')) {
      winner = (await fresh(scene.ports, login)).accessToken.reveal();
    }
    return http.send(request);
  };
  const token = await fresh({ ...elsewhere(scene), http: { ...http, send } }, login);
  assert.equal(token.accessToken.reveal(), winner);
  assert.deepEqual(
    own.issuer.forms.slice(1).map(({ fields }) => fields.get('refresh_token')),
    ['refresh-1', 'refresh-1'],
    'both sent the same one',
  );
  const [record] = (await scene.ports.index.read()).logins;
  assert.equal(record?.dead, undefined);
  assert.equal((await fresh(scene.ports, login)).accessToken.reveal(), winner, 'and it is still there');
});

test('[A-135] only when the store still holds the very token that was refused is the login dead; even then it is kept', async () => {
  await using rotation = await openRotation();
  const { scene, own, login } = rotation;
  own.issuer.onToken = () => [400, { error: 'invalid_grant' }];
  const item = await scene.ports.store.read(login.key);
  await failureOf(fresh(elsewhere(scene), login), 'login_expired');
  assert.equal((await scene.ports.index.read()).logins[0]?.dead, true);
  assert.equal((await scene.ports.store.read(login.key))?.reveal(), item?.reveal());
});

test('[A-135] a refresh token that a process out of sight has sent, and not come back, is not sent again: the token at hand serves while it lives', async () => {
  await using rotation = await openRotation();
  const { scene, own, login } = rotation;
  const { recovery } = scene.ports;
  const ports = { ...scene.ports, recovery: { ...recovery, begunElsewhere: async () => ({ since: 0 }) } };
  const before = own.issuer.forms.length;
  const held = await fresh(ports, login);
  scene.ports.advance(10_000);
  const failure = await failureOf(fresh(ports, login), 'login_expired');
  assert.match(failure.message, /another machine or container sent its refresh token at 1970-01-01T00:00:00Z/);
  assert.equal(own.issuer.forms.length, before);
  assert.notEqual(
    (await fresh(scene.ports, login)).accessToken.reveal(),
    held.accessToken.reveal(),
    'once that is over',
  );
});
