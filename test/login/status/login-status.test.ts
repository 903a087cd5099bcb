import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenLogins, fullName, loginStatus, whoOf } from '../../../src/login/status/login-status.js';
import { orphanLines } from '../../../src/login/status/render.js';
import { storeFailed, storeUnavailable } from '../../../src/stores/keychain/failures.js';
import { realClock } from '../../stores/state/real-clock.js';
import { openScene } from '../../support/flows/scene.js';
import type { LoginRecord, StoreKind } from '../../support/product.js';

test('an account that is called as its login is named once', async () => {
  await using scene = await openScene();
  const same = await scene.login({ account: 'work', name: 'work' });
  assert.equal(fullName(same), 'work');
  assert.equal(whoOf({ ...same, identity: 'a@b.example' }), 'a@b.example');
  assert.equal(fullName({ ...same, account: 'home' }), 'work (account home)');
  assert.equal(whoOf({ ...same, account: 'home', identity: 'a@b.example' }), 'a@b.example, account home');
});

const issuer = 'https://idp.example';

const login: LoginRecord = {
  ...{ server: 'https://h.example/mcp', resource: 'https://h.example/mcp', issuer: 'https://as.example' },
  ...{ clientId: 'tool', account: 'default', key: 'one', name: 'work', scopes: [], expiresAt: 1, obtainedAt: 0 },
  ...{ refreshable: true, store: 'file', zone: 'public', registration: 'preregistered', generation: 1 },
  provider: { issuer, clientId: 'desktop' },
};

const there: LoginRecord = { ...login, server: issuer, resource: 'urn:x', issuer, clientId: 'desktop', key: 'two' };

test('a login whose provider’s login has ended needs somebody once its own token has, and says which command', async () => {
  const state = (record: LoginRecord, provider: LoginRecord) => loginStatus(record, 2, [provider]).state;
  assert.equal(state(login, there), 'refreshable');
  assert.equal(state(login, { ...there, dead: true }), 'expired');
  assert.equal(state(login, { ...there, gone: true }), 'expired');
  assert.equal(state({ ...login, expiresAt: 3 }, { ...there, dead: true }), 'valid');
  for (const other of [{ account: 'me' }, { clientId: 'another' }, { issuer: 'https://other.example' }]) {
    assert.equal(state(login, { ...there, dead: true, ...other }), 'refreshable');
  }
  const ofFile = { ...login, provider: { issuer, clientId: 'desktop', tokenFile: '/run/token' } };
  assert.equal(state(ofFile, { ...there, dead: true }), 'refreshable');
  const document = { version: 1, logins: [login], registrations: [], providers: [{ ...there, dead: true }] };
  const index = { read: async () => document, update: async () => document };
  const broken = await brokenLogins({ index: index as never, clock: realClock });
  assert.deepEqual(broken, [
    {
      name: 'work',
      problem: 'the token has expired, and the login at the company’s provider has ended',
      remedy: 'postern login work',
    },
  ]);
});

test('what several secrets cannot be removed for is told once, and how many they are', () => {
  const left = (store: StoreKind, failure = storeUnavailable('no_bus', 'none')) => ({
    item: { key: 'ab'.repeat(32), store },
    failure,
  });
  const lines = orphanLines([
    left('keychain'),
    left('file', storeFailed('remove', new Error('odd'))),
    left('keychain'),
    left('helper:x'),
  ]);
  assert.equal(lines.length, 6);
  assert.match(lines[0] ?? '', /^Note: 2 secrets without a login are left in the keychain .*no D-Bus session/);
  assert.match(lines[2] ?? '', /^Note: a secret without a login is left in a sealed file .*odd/);
  assert.deepEqual(orphanLines([]), []);
});
