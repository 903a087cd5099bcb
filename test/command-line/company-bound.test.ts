import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clients, companyOptions, idJagsOf, loginInBrowser } from '../e2e/company.js';
import { keysOf } from '../support/at-stage.js';
import { openStage } from '../support/stage-here.js';

test('a login by a company’s provider at a server that binds tokens to a key: each call has its proof, the next token is bound to the same key', async () => {
  await using stage = await openStage({ clients, dpop: 'required', dpopNonce: true });
  const words = [stage.sandbox.serverUrl, '--name', 'work', ...(await companyOptions(stage))];
  const login = await loginInBrowser(stage, words);
  assert.equal(login.code, 0, login.stderr);
  assert.match((await stage.run('status', 'work', '-l')).stdout, /bound to a key/);
  for (const round of [1, 2]) {
    const called = await stage.run('call', 'work', 'whoami');
    assert.equal(called.code, 0, called.stderr);
    assert.equal(new Set(idJagsOf(stage)).size, round, 'one grant for each token');
    for (const key of keysOf(stage).logins) await stage.changeItem(key, { expiresAt: Date.now() });
  }
  const sent = stage.sandbox.requests.filter(({ at, headers }) => at === 'server' && headers['authorization']);
  const proofs = sent.map(({ headers }) => {
    assert.match(String(headers['authorization']), /^DPoP /);
    return JSON.parse(Buffer.from(String(headers['dpop']).split('.')[0] ?? '', 'base64url').toString()).jwk;
  });
  assert.ok(proofs.length > 3);
  assert.equal(new Set(proofs.map((key) => JSON.stringify(key))).size, 1, 'one key for all of it');
  const asked = stage.sandbox.requests.filter(({ path }) => path === '/company/token');
  for (const { headers } of asked) assert.equal(headers['dpop'], undefined, 'the provider has no part in it');
  const helper = await stage.run('token', 'work');
  assert.equal(helper.code, 2);
  assert.match(helper.stderr, /dpop_bound/);
  const doctor = await stage.run('doctor', 'work', '--login');
  assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
});
