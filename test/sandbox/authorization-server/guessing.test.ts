import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Adapter } from 'oidc-provider';
import { Allowance } from '../../../src/sandbox/allowance.js';
import { memoryStore, type Shelf } from '../../../src/sandbox/authorization-server/memory.js';
import type { Sandbox } from '../../../src/sandbox/start.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { type Callback, listenForCallback, loggedIn, registerNative, tokenRequest } from '../client.js';
import { Tab } from '../tab.js';

let sandbox: Sandbox;
let callback: Callback;

before(async () => {
  sandbox = await startSandbox();
  callback = await listenForCallback();
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

test('[A-292] codes and refresh tokens have 256 bits, each its own', async () => {
  const clientId = await registerNative(sandbox);
  const seen = new Set<string>();
  for (let count = 0; count < 3; count += 1) {
    const { redemption } = await loggedIn(sandbox, callback, clientId);
    const { json } = await tokenRequest(sandbox, redemption);
    for (const value of [redemption['code'], json['refresh_token']]) {
      assert.match(String(value), /^[A-Za-z0-9_-]{43}$/);
      seen.add(String(value));
    }
  }
  assert.equal(seen.size, 6);
});

test('[A-292] of codes and tokens only hashes are kept, and no record opens anything', async () => {
  for (const kind of ['AuthorizationCode', 'RefreshToken', 'AccessToken', 'ClientCredentials']) {
    const shelves = new Map<string, Shelf>();
    const store = memoryStore(shelves) as (kind: string) => Adapter;
    const adapter = store(kind);
    await adapter.upsert('the-secret', { kind, jti: 'the-secret', clientId: 'c', grantId: 'g' }, 60);
    assert.doesNotMatch(JSON.stringify([...(shelves.get(kind) ?? [])]), /the-secret/, kind);
    assert.equal((await adapter.find('the-secret'))?.jti, 'the-secret');
    const [name = ''] = shelves.get(kind)?.keys() ?? [];
    assert.equal(await adapter.find(name), undefined, 'the name of a record is not the secret');
    await adapter.consume('the-secret');
    assert.equal(typeof (await adapter.find('the-secret'))?.['consumed'], 'number');
    await adapter.destroy('the-secret');
    assert.equal(shelves.get(kind)?.size, 0);
  }
});

test('[A-292] user codes can be guessed twenty times, and then nobody can for a while', async () => {
  await using guessed = await startSandbox();
  const tab = new Tab();
  for (let guess = 0; guess < 20; guess += 1) {
    await tab.open(`${guessed.issuer}/device`);
    await tab.press('decision', 'code', { user_code: `BCDF-GHJ${'KLMNPQRSTVWXZBCDFGHJ'[guess]}` });
    assert.match(tab.html, /No login waits with that code/);
  }
  await tab.open(`${guessed.issuer}/device`);
  assert.equal(tab.status, 429);
  assert.match(tab.html, /too many wrong codes/);
});

test('[A-292] an allowance is per key, slides, and comes back', () => {
  let now = 0;
  const allowance = new Allowance(2, 1000, () => now);
  allowance.take('a');
  now = 600;
  allowance.take('a');
  assert.deepEqual([allowance.isSpent('a'), allowance.isSpent('b')], [true, false]);
  now = 1001;
  assert.equal(allowance.isSpent('a'), false);
  allowance.take('a');
  assert.equal(allowance.isSpent('a'), true);
  now = 5000;
  assert.equal(allowance.isSpent('a'), false);
});
