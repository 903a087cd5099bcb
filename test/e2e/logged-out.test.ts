import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walkLogin } from '../../src/sandbox/walk.js';
import { needs } from '../support/needs.js';
import { authorizationUrlOf, openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

async function logIn(stage: Stage): Promise<void> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--name', 'r2', '--no-browser');
  await walkLogin(await authorizationUrlOf(login));
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
}

test('logout says what goes on working: access tokens that were handed out, until they expire', { skip }, async () => {
  await using stage = await openStage();
  await logIn(stage);
  const token = await stage.token('r2');
  const out = await stage.run('logout', 'r2');
  assert.match(out.stdout, /^Logged out of r2\. It cannot be refreshed any more; an access token .* may work for \d/);
  const used = await fetch(stage.sandbox.serverUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  assert.notEqual(used.status, 401, 'as it said');

  await logIn(stage);
  stage.sandbox.setFaults(['revocation-500']);
  const failed = await stage.run('logout', 'r2');
  assert.match(
    failed.stdout,
    /^Logged out of r2\. Its token was not revoked: .* 500\. Its refresh token stays valid there\. Its access token stays valid for \d/,
  );
});
