import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool, freshToken } from '../support/flows/calls.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

test('[A-146] three fresh tokens of a login are refused within a minute, over all processes: no other is asked for', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['server-401-always']);
  for (let process = 1; process <= 3; process += 1) {
    await failureOf(callTool(scene, login, 'echo', { text: 'x' }), 'token_refused');
    assert.equal(scene.sandbox.stats.refreshes, process);
  }
  const failure = await failureOf(callTool(scene, login, 'echo', { text: 'x' }), 'token_refused');
  assert.equal(failure.exit, 3);
  assert.match(failure.message, /3 new tokens .* within a minute/);
  assert.equal(scene.sandbox.stats.refreshes, 3);
  assert.deepEqual(scene.ports.opened.length, 1, 'no browser either');
  scene.sandbox.setFaults([]);
  await callTool(scene, login, 'echo', { text: 'x' }); // the token that is there is good again
  scene.ports.advance(61_000);
  const { accessToken } = await freshToken(scene, login, undefined, 0);
  await freshToken(scene, login, accessToken, 0);
  assert.equal(scene.sandbox.stats.refreshes, 4);
});
