import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macosTrouble } from '../../../src/stores/keychain/native.js';
import { startKeyring } from '../../support/keyring.js';
import { needs } from '../../support/needs.js';
import { allFailed, everything, openKeychain } from './keychain-session.js';

// No Mac is at hand: the program behaves as on one, and the keychain behind it is another. What a real one does is shown
// by the workflow `systems`.
const skip = needs('gnome-keyring', 'dbus', 'secret-tool');
const key = 'ab'.repeat(32);

test('what Security.framework says is known by its text or its number', () => {
  const said = (message: string) => macosTrouble(`Platform failure: ${message}`);
  assert.equal(said('User interaction is not allowed.'), 'locked');
  assert.equal(said('error code -25308'), 'locked');
  assert.equal(said('User interaction is required, but is currently not allowed.'), 'locked');
  assert.equal(said('User canceled the operation.'), 'denied');
  assert.equal(said('error code -128'), 'denied');
  assert.equal(said('The user name or passphrase you entered is not correct.'), 'denied');
  assert.equal(
    macosTrouble('Couldn’t access platform storage: A default keychain could not be found.'),
    'no_collection',
  );
  assert.equal(said('error code -25307'), 'no_collection');
  for (const other of [
    'error code -12800',
    'error code -1283',
    'One or more parameters passed to a function were not valid.',
  ])
    assert.equal(said(other), undefined, other);
});

test('on macOS every use of the keychain is in a process that can be killed, and needs no session bus of ours', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env, { platform: 'darwin' });
  assert.deepEqual(await keychain.do('ready'), { notices: [] });
  await keychain.do('write', key, 'kept');
  assert.equal((await keychain.do('read', key)).value, 'kept');
  assert.equal((await keychain.do('remove', key)).value, true);
});

test('[A-195] a Keychain of macOS that waits for its prompt: the wait ends, with what unlocks it', {
  skip,
}, async () => {
  await using keyring = await startKeyring('unanswered-prompt');
  await using keychain = openKeychain(keyring.env, { platform: 'darwin', limits: { storeSeconds: 1 } });
  const results = await everything(keychain);
  allFailed(results.slice(1), 'store_timeout', /security unlock-keychain/);
  assert.doesNotMatch(JSON.stringify(results), /gnome|KWallet/);
});
