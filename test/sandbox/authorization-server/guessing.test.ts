import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
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
