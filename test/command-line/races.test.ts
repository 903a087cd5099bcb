import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { walkLogin } from '../support/product.js';
import { type Machine, openMachine } from '../support/stage-here.js';

/** A login whose token has just ended. */
async function logInUntilNow(machine: Machine, { server }: OwnScene): Promise<void> {
  await using login = machine.start('login', server.url, '--no-browser', '--force');
  await walkLogin(await authorizationUrlOf(login));
  assert.equal((await login.finished).code, 0, login.stderr);
  machine.advance(301_000);
}

test('[A-149] 200 requests of a proxy as the token ends: one refresh, one look into the store, each its response; one can be given up', async () => {
  await using own = await openOwnScene();
  await using machine = await openMachine();
  await logInUntilNow(machine, own);
  own.server.whenAuthorized = (request, response) => void response.end(request.headers.authorization);
  await using proxy = machine.start('proxy', own.server.url);
  const [address] = await proxy.waitForStdout(/http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/\S+/);
  let reads = 0;
  const { read } = machine.store;
  Object.assign(machine.store, {
    read: (key: string) => {
      reads += 1;
      return read(key);
    },
  });
  const giveUp = new AbortController();
  const impatient = fetch(address, { method: 'POST', body: '{}', signal: giveUp.signal });
  giveUp.abort();
  await assert.rejects(impatient, { name: 'AbortError' });
  const bodies = Array.from({ length: 200 }, async () => (await fetch(address, { method: 'POST', body: '{}' })).text());
  assert.deepEqual(new Set(await Promise.all(bodies)), new Set(['Bearer access-2']));
  assert.equal(own.issuer.forms.length, 2, 'one for the login');
  assert.ok(reads < 10, `${reads} looks into the store`);
});

test('[A-147] logout while a refresh is under way: nothing of the login stays, and its newest refresh token is revoked', async () => {
  await using own = await openOwnScene();
  await using machine = await openMachine();
  await logInUntilNow(machine, own);
  const revoked: (string | null)[] = [];
  own.issuer.onRevocation = (fields) => {
    revoked.push(fields.get('token'));
    return [200, {}];
  };
  const { onToken } = own.issuer;
  let logout: Promise<{ readonly code: number | null; readonly stderr: string }> | undefined;
  own.issuer.onToken = (form) => {
    logout = machine.run('logout', own.server.url);
    return onToken(form);
  };
  const token = await machine.run('token', own.server.url);
  assert.ok(logout !== undefined, token.stderr);
  const { code, stderr } = await logout;
  assert.equal(code, 0, stderr);
  assert.deepEqual([await machine.items(), own.issuer.forms.length], [[], 2]);
  assert.deepEqual(JSON.parse((await machine.run('status', '--json')).stdout).logins, []);
  assert.ok(revoked.includes('refresh-2') && !revoked.includes('refresh-1'), String(revoked));
});
