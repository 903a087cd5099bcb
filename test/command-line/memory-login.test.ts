import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bridgeOn } from '../bridge/host.js';
import { authorizationUrlOf, logIn, recordsOf } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';
import { openStage, type Stage } from '../support/stage-here.js';

/** The access tokens that the sandbox was shown. */
function tokensShown(stage: Stage): Readonly<Record<string, string>> {
  const shown = stage.sandbox.requests.flatMap(({ headers }) => headers['authorization'] ?? []);
  return Object.fromEntries(shown.map((value, at) => [`token ${at}`, value.replace('Bearer ', '')]));
}

test('[R-5.8b] --store memory: a call logs in for itself, steps up, and nothing of it is left anywhere', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  const words = ['call', serverUrl, 'note_add', 'text=x', '--store', 'memory', '--no-browser'];
  await using call = stage.start(...words);
  await walkLogin(await authorizationUrlOf(call), {});
  const wider = /response_type=code\S*notes%3Awrite\S*(?=\s)/;
  await call.waitForStderr(wider);
  const addresses = () => [...call.stderr.matchAll(/\bhttp:\/\/\S+[?&]response_type=code\S*(?=\s)/g)];
  await walkLogin(addresses().at(-1)?.[0] ?? '', {});
  const { code, stdout, stderr } = await call.finished;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Kept as note/);
  assert.deepEqual(await stage.items(), []);
  assert.deepEqual(recordsOf(stage), []);
  const secrets = tokensShown(stage);
  assert.ok(Object.keys(secrets).length > 0);
  assert.deepEqual(await findSecrets(secrets, { folders: [stage.home.path], texts: stage.printed }), []);
});

test('[R-5.8b] --store memory needs no keychain, uses no stored login, and is no store for a login to stay in', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  const record = await logIn(stage);
  const names = await readdir(join(stage.home.path, 'state', 'postern'));
  const { store: _, ...withoutKeychain } = stage.own;
  await using host = bridgeOn({ home: stage.home, own: withoutKeychain }, serverUrl, '--store', 'memory');
  host.send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  await walkLogin(await stage.browser.opened(), { account: 'bob' });
  assert.ok((await host.next()).result !== undefined);
  host.send({ method: 'notifications/initialized' });
  const who = await host.ask({ id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } });
  assert.match(JSON.stringify(who), /bob/);
  assert.deepEqual(recordsOf(stage), [record], 'the stored one is as it was');
  assert.deepEqual(
    (await readdir(join(stage.home.path, 'state', 'postern'))).filter((name) => !names.includes(name)),
    [],
  );
  for (const words of [
    ['login', serverUrl, '--store', 'memory'],
    ['move', 'memory'],
  ]) {
    const refused = await stage.run(...words);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--store memory/);
  }
});
