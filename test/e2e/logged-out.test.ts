import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { authorizationUrlOf } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { openStage } from './stage.js';

test('[A-152] a logout that is killed while it revokes has forgotten the login, and the next logout revokes it', {
  skip: needs('gnome-keyring', 'secret-tool'),
}, async () => {
  await using stage = await openStage();
  await using login = stage.start('login', stage.sandbox.serverUrl, '--name', 'r2', '--no-browser');
  await walkLogin(await authorizationUrlOf(login));
  assert.equal((await login.finished).code, 0, login.stderr);
  const { sandbox } = stage;
  sandbox.setFaults(['revocation-slow']);
  {
    await using killed = stage.start('logout', 'r2');
    while (!sandbox.requests.some(({ path }) => path.includes('revoke'))) await wait(5);
    killed.kill('SIGKILL');
    await killed.finished;
  }
  sandbox.setFaults([]);
  assert.match((await stage.run('status')).stdout, /^(?!.*r2)/s);
  const before = sandbox.stats.revocations;
  assert.equal((await stage.run('logout', 'r2')).code, 3, 'there is no such login');
  assert.equal(sandbox.stats.revocations, before + 1);
  const { stdout } = await stage.run('logout', '--all', '--yes');
  assert.equal(sandbox.stats.revocations, before + 1, `once: ${stdout}`);
});
