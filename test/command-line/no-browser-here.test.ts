import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { startHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';
import { openStage } from '../support/stage-here.js';

test('in a container and over SSH the login says how the answer finds its way back', async () => {
  await using stage = await openStage();
  const places = [
    [
      { container: 'podman' },
      /This is a container: a browser outside reaches port (\d+) only with --network host, or\s+where\s+it\s+is\s+published/,
    ],
    [{ container: 'podman', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, /ssh -N -L (\d+):127\.0\.0\.1:\1 /],
  ] as const;
  for (const [variables, hint] of places) {
    const home = { ...stage.home, env: { ...stage.home.env, DISPLAY: '', ...variables } };
    await using login = startHere(home, ['login', stage.sandbox.serverUrl, '--no-browser', '--force'], stage);
    const [, port] = await login.waitForStderr(hint);
    const url = await authorizationUrlOf(login);
    assert.equal(new URL(new URL(url).searchParams.get('redirect_uri') ?? '').port, port);
    await walkLogin(url);
    const { code, stderr } = await login.finished;
    assert.equal(code, 0, stderr);
  }
});
