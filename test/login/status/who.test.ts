import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullName, whoOf } from '../../../src/login/status/login-status.js';
import { openScene } from '../../support/flows/scene.js';

test('an account that is called as its login is named once', async () => {
  await using scene = await openScene();
  const same = await scene.login({ account: 'work', name: 'work' });
  assert.equal(fullName(same), 'work');
  assert.equal(whoOf({ ...same, identity: 'a@b.example' }), 'a@b.example');
  assert.equal(fullName({ ...same, account: 'home' }), 'work (account home)');
  assert.equal(whoOf({ ...same, account: 'home', identity: 'a@b.example' }), 'a@b.example, account home');
});
