import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/door.js';
import { callTool, stepUp } from './calls.js';
import { openScene } from './scene.js';

test('[R-5.6a] step-up: scopes widened, those held kept, the original call sent again', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const relogin = stepUp(scene);
  await callTool(scene, login, 'note_add', { text: 'hello' }, { relogin });
  assert.equal(relogin.count, 1);
  const [record] = (await scene.ports.index.read()).logins;
  assert.ok(
    login.scopes.every((scope) => record?.scopes.includes(scope)),
    'held scopes are kept',
  );
  assert.ok(record?.scopes.includes('notes:write'));
});

test('[R-2.1c][R-7.1] missing scope without leave to ask: exit 3, the scope and the way are named', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const failure = await failureOf(callTool(scene, login, 'note_add', { text: 'x' }), 'insufficient_scope');
  assert.equal(failure.exit, 3);
  assert.match(failure.message, /notes:write/);
  assert.match(failure.remedy, /--login/);
});

test('[A-162] the same scope asked for again after it was got: no second step-up, exit 4', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['server-403-always']);
  const relogin = stepUp(scene);
  const failure = await failureOf(
    callTool(scene, login, 'echo', { text: 'x' }, { relogin }),
    'scope_refused',
  );
  assert.equal(failure.exit, 4);
  assert.ok(relogin.count <= 1, `${relogin.count} step-ups`);
});

test('[A-163][R-5.6b] a treadmill of ever new scopes ends after three step-ups at most', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['server-403-treadmill']);
  const relogin = stepUp(scene);
  const outcome = await callTool(scene, login, 'echo', { text: 'x' }, { relogin }).catch(
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof Error);
  assert.ok(relogin.count >= 1 && relogin.count <= 3, `${relogin.count} step-ups`);
});

test('[A-164] a step-up challenge that leads to another server is no step-up', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['server-403-other-server', 'prm-other-issuer']);
  const { tokenRequests } = scene.sandbox.stats;
  const outcome = await callTool(scene, login, 'echo', { text: 'x' }, { relogin: stepUp(scene) }).catch(
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof Error);
  assert.equal(scene.sandbox.stats.tokenRequests, tokenRequests);
});
