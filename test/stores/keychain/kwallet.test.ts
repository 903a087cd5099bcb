import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../../support/needs.js';
import { startKWallet } from '../../support/other-services.js';
import { allFailed, everything, openKeychain } from './keychain-session.js';

const skip = needs('kwallet', 'secret-tool');
const key = 'ab'.repeat(32);
const value = '{"token":"canary-of-the-kwallet-test","name":"Zoë 😀"}';

test('[R-5.8b] KWallet keeps a secret: written, read, replaced, removed, read on the hot path', { skip }, async () => {
  await using wallet = await startKWallet('opened-at-login');
  await using keychain = openKeychain(wallet.env);
  assert.deepEqual(await keychain.do('ready'), { notices: [] });
  assert.equal((await keychain.do('read', key)).value, undefined);
  await keychain.do('write', key, 'older');
  await keychain.do('write', key, value);
  assert.equal((await keychain.do('read', key)).value, value);
  assert.equal(await wallet.lookup(key), value);
  assert.equal((await keychain.do('fast', key)).value, value);
  assert.equal((await keychain.do('remove', key)).value, true);
  assert.equal((await keychain.do('remove', key)).value, false);
  assert.equal(await wallet.lookup(key), undefined);
});

test('a wallet that was opened at the login to the desktop is used without a person, though its service calls it locked', {
  skip,
}, async () => {
  await using wallet = await startKWallet('opened-at-login');
  await using first = openKeychain(wallet.env);
  assert.deepEqual(await first.do('write', key, value), { notices: [] });
  await wallet.close();
  await wallet.openAtLogin();
  assert.equal((await first.do('fast', key)).value, undefined);
  assert.equal((await first.do('read', key)).value, value);
  assert.equal((await first.do('fast', key)).value, value, 'and then on the hot path, too');
});

test('[A-193] a closed wallet: fails at once without a person, and says how KWallet is opened', { skip }, async () => {
  await using wallet = await startKWallet('closed');
  await using keychain = openKeychain(wallet.env, { limits: { storeSeconds: 60, unlockSeconds: 60 } });
  const results = await everything(keychain);
  allFailed(results, 'store_locked', /kwallet-query -l kdewallet/);
  assert.match(results[0]?.failure?.message ?? '', /\(KWallet\) is locked/);
  assert.doesNotMatch(JSON.stringify(results), /gnome-keyring/);
});

test('[A-195] a prompt of KWallet that nobody sees: the person is told, and the wait ends', { skip }, async () => {
  await using wallet = await startKWallet('closed');
  const limits = { unlockSeconds: 2 };
  await using keychain = openKeychain(wallet.env, { interactive: true, limits });
  const results = await everything(keychain);
  allFailed(results, 'store_locked', /kwallet-query/);
  assert.match(results[0]?.failure?.message ?? '', /was not answered/);
  assert.equal(results.at(-1)?.notices?.length, 1);
});

test('[A-194] no wallet yet, where other programs wait for ever: says at once how one is made', { skip }, async () => {
  await using wallet = await startKWallet('no-wallet');
  await using keychain = openKeychain(wallet.env, { interactive: true });
  const results = await everything(keychain);
  allFailed(results, 'store_unavailable', /KDE Wallet.*log in to the desktop again/);
  assert.doesNotMatch(JSON.stringify(results), /gnome-keyring/);
});

test('[A-194] KWallet is installed and does not run: says how it is started', { skip }, async () => {
  await using wallet = await startKWallet('not-started');
  await using keychain = openKeychain(wallet.env);
  const results = await everything(keychain);
  allFailed(results, 'store_unavailable', /Start it in your desktop session: kwallet-query/);
});
