import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenLogins, loginStatus } from '../../../src/login/status/login-status.js';
import { realClock } from '../../stores/state/real-clock.js';
import type { LoginRecord } from '../../support/product.js';

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
