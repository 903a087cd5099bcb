import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCanaries } from '../support/canary.js';
import { openStage } from '../support/stage-here.js';

test('a call without a login asks once, sends no token, opens nothing, and says which login is needed [R-7.1] [A-79]', async () => {
  await using stage = await openStage();
  const { code, stdout, stderr } = await stage.run('call', stage.sandbox.serverUrl, 'whoami');
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /login_needed/);
  assert.ok(stderr.includes(`postern login ${stage.sandbox.serverUrl}`), stderr);
  const seen = stage.sandbox.requests.map(({ method, headers }) => [method, headers['authorization']]);
  assert.deepEqual(seen, [['POST', undefined]]);
  assert.deepEqual(stage.browser.all, []);
});

test('a call that names a login which does not exist reaches no server [I2]', async () => {
  await using stage = await openStage();
  await using canaries = await startCanaries();
  const url = `http://127.0.0.1:${canaries.ports['127.0.0.1']}/mcp`;
  for (const wanted of [['no-such-name'], [url, '--account', 'nobody']]) {
    const { code, stdout, stderr } = await stage.run('call', ...wanted);
    assert.deepEqual([code, stdout], [3, ''], stderr);
  }
  assert.deepEqual(canaries.visits, []);
  assert.deepEqual(stage.sandbox.requests, []);
});
