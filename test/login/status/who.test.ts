import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullName, whoOf } from '../../../src/login/status/login-status.js';
import { providerLine } from '../../../src/login/status/provider-status.js';
import { openScene } from '../../support/flows/scene.js';

test('an account that is called as its login is named once', async () => {
  await using scene = await openScene();
  const same = await scene.login({ account: 'work', name: 'work' });
  assert.equal(fullName(same), 'work');
  assert.equal(whoOf({ ...same, identity: 'a@b.example' }), 'a@b.example');
  assert.equal(fullName({ ...same, account: 'home' }), 'work (account home)');
  assert.equal(whoOf({ ...same, account: 'home', identity: 'a@b.example' }), 'a@b.example, account home');
});

test('the line for a company’s provider says in order what it is, for which logins, and how it stands', async () => {
  await using scene = await openScene();
  const login = await scene.login({ account: 'work', name: 'work' });
  const record = {
    ...{ key: 'k', store: 'keychain', issuer: 'https://idp.example', clientId: 'c', account: 'default' },
    ...{ identity: 'a@b.example', subject: 's', scopes: [], createdAt: 0, expiresAt: 3_600_000, refreshable: true },
  } as unknown as Parameters<typeof providerLine>[0]['record'];
  assert.equal(
    providerLine({ record, logins: [login] }, 0),
    'Company’s provider https://idp.example, for work: a@b.example, valid for 60 minutes, refreshed by itself',
  );
});
