import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../../support/needs.js';
import { startKeePassXC } from '../../support/other-services.js';
import { findSecrets } from '../../support/secrets-search.js';
import { allFailed, everything, openKeychain } from './keychain-session.js';

const skip = needs('keepassxc', 'secret-tool');
const key = 'ab'.repeat(32);
const value = '{"token":"canary-of-the-keepassxc-test","name":"Zoë 😀"}';

test('[R-5.8b] KeePassXC keeps a secret: written, read, replaced, removed, read on the hot path, in no file in plain text', {
  skip,
}, async () => {
  await using service = await startKeePassXC('open');
  await using keychain = openKeychain(service.env);
  assert.deepEqual(await keychain.do('ready'), { notices: [] });
  assert.equal((await keychain.do('read', key)).value, undefined);
  await keychain.do('write', key, 'older');
  await keychain.do('write', key, value);
  assert.equal((await keychain.do('read', key)).value, value);
  assert.equal(await service.lookup(key), value);
  assert.equal((await keychain.do('fast', key)).value, value);
  const canary = { token: 'canary-of-the-keepassxc-test' };
  assert.deepEqual(await findSecrets(canary, { folders: [service.folder], texts: {} }), []);
  assert.equal((await keychain.do('remove', key)).value, true);
  assert.equal((await keychain.do('remove', key)).value, false);
  assert.equal(await service.lookup(key), undefined);
});

test('[A-193] a locked database: fails at once without a person, and says where it is unlocked', { skip }, async () => {
  await using service = await startKeePassXC('locked');
  await using keychain = openKeychain(service.env, { limits: { storeSeconds: 60, unlockSeconds: 60 } });
  const results = await everything(keychain);
  allFailed(results, 'store_locked', /Unlock its database in KeePassXC/);
  assert.doesNotMatch(JSON.stringify(results), /gnome-keyring/);
});

test('[A-195] KeePassXC asks a person before each read: refused at once without one, waited for with one, never hung', {
  skip,
}, async () => {
  await using service = await startKeePassXC('asking');
  await using writer = openKeychain(service.env);
  assert.deepEqual(await writer.do('write', key, value), { notices: [] }, 'what is new is written unasked');
  await using alone = openKeychain(service.env, { limits: { storeSeconds: 60, unlockSeconds: 60 } });
  const { failure } = await alone.do('read', key);
  assert.equal(failure?.code, 'store_locked');
  assert.match(failure.message, /\(KeePassXC\) gives this login out only when a person allows it/);
  assert.match(failure.remedy, /“Confirm when passwords are retrieved by clients”/);
  for (const operation of ['write', 'remove'] as const) {
    assert.equal((await alone.do(operation, key, 'other')).failure?.code, 'store_locked');
  }
  const limits = { unlockSeconds: 2 };
  await using watched = openKeychain(service.env, { interactive: true, limits });
  const seen = await watched.do('read', key);
  assert.equal(seen.failure?.code, 'store_locked');
  assert.deepEqual(seen.notices, [
    'The keychain (KeePassXC) asks before it is used: waiting for its prompt to be answered.',
  ]);
});

for (const [state, remedy] of [
  ['shows-nothing', /expose a group of it/],
  ['not-a-service', /Secret Service Integration: enable it/],
] as const) {
  test(`[A-194] KeePassXC ${state}: says so, and what to do`, { skip }, async () => {
    await using service = await startKeePassXC(state);
    await using keychain = openKeychain(service.env, { interactive: true });
    const results = await everything(keychain);
    allFailed(results, 'store_unavailable', remedy);
    assert.doesNotMatch(JSON.stringify(results), /gnome-keyring/);
  });
}
