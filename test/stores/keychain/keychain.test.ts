import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startKeyring } from '../../support/keyring.js';
import { needs } from '../../support/needs.js';
import { readIndexSync } from '../../support/product.js';
import { findSecrets } from '../../support/secrets-search.js';
import { temporaryFolder } from '../../support/temporary.js';
import { openKeychain } from './keychain-session.js';

const skip = needs('gnome-keyring', 'dbus', 'secret-tool');
const key = 'ab'.repeat(32);
const value = '{"token":"canary-of-the-keychain-test","name":"Zoë 😀"}';

test('[R-5.8b] a secret is an item of the keychain, found by secret-tool, in plain text nowhere on disk', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain({ ...keyring.env, HOME: keyring.folder });
  assert.deepEqual(await keychain.do('ready'), { notices: [] });
  assert.equal((await keychain.do('read', key)).value, undefined);
  await keychain.do('write', key, 'older');
  await keychain.do('write', key, value);
  assert.equal((await keychain.do('read', key)).value, value);
  assert.equal(await keyring.lookup(key), value);
  assert.equal((await keyring.items()).length, 1);
  const canary = { token: 'canary-of-the-keychain-test' };
  assert.deepEqual(await findSecrets(canary, { folders: [keyring.folder], texts: {} }), []);
  assert.equal((await keychain.do('remove', key)).value, true);
  assert.equal((await keychain.do('remove', key)).value, false);
  assert.deepEqual(await keyring.items(), []);
});

test('[A-206] label and attributes, which can be read while it is locked, hold a hash and no URL', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env);
  await keychain.do('write', key, '{"resource":"https://mcp.example/path"}');
  const [item] = await keyring.items();
  const lines = item?.shown.split('\n').filter((line) => !/^(\[|schema|created|modified|$)/.test(line));
  assert.deepEqual(lines?.sort(), [
    'attribute.service = postern',
    `attribute.username = ${key}`,
    `label = keyring:${key}@postern`,
  ]);
});

test('the hot path reads what was written, and gives up at once where there is nothing to read', { skip }, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env);
  await keychain.do('write', key, value);
  assert.equal((await keychain.do('fast', key)).value, value);
  assert.equal((await keychain.do('fast', 'other')).value, undefined);
  await keyring.lock();
  assert.equal((await keychain.do('fast', key)).value, undefined);
});

test('an item that is there gets another text, label and attributes as they were', { skip }, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env);
  await keychain.do('write', key, 'older');
  // The tool prints attributes in no order; the keyring adds its generic schema by itself, sooner or later.
  const shown = async () =>
    (await keyring.items()).map((item) =>
      item.shown
        .split('\n')
        .filter((line) => !/^(?:modified|schema = org\.freedesktop\.Secret\.Generic$)/.test(line))
        .sort(),
    );
  const before = await shown();
  for (const text of [value, '', 'x'.repeat(65_536)]) {
    await keychain.do('write', key, text);
    assert.equal((await keychain.do('read', key)).value, text);
  }
  assert.deepEqual(await shown(), before);
});

test('[A-198] on Windows, where an item holds little, a value is kept in parts, found whole, and removed whole', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env, { platform: 'win32' });
  const large = JSON.stringify({ token: 'x'.repeat(9000), name: 'Zoë 😀'.repeat(50) });
  await keychain.do('write', key, large);
  const items = await keyring.items();
  assert.ok(items.length > 7 && items.every(({ secret }) => secret.length <= 1280));
  assert.equal((await keychain.do('read', key)).value, large);
  await keychain.do('write', `${key}-a3`, 'of another write');
  const damaged = await keychain.do('read', key);
  assert.equal(damaged.failure?.code, 'credential_corrupt');
  assert.equal(damaged.failure?.exit, 7);
  assert.equal((await keyring.items()).length, items.length, 'it is left as it is');
  await keychain.do('remove', key);
  assert.deepEqual(await keyring.items(), []);
});

test('[A-198] the largest value is stored whole, a larger one not at all', { skip }, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env);
  await keychain.do('write', key, 'é'.repeat(32_768));
  assert.equal((await keychain.do('read', key)).value, 'é'.repeat(32_768));
  const refused = await keychain.do('write', key, `${'é'.repeat(32_768)}x`);
  assert.equal(refused.failure?.code, 'store_too_large');
  assert.equal(refused.failure?.exit, 7);
  assert.equal((await keychain.do('read', key)).value, 'é'.repeat(32_768));
});

test('[A-204] 30 processes at a first run: each one’s secret and record are there', { skip }, async () => {
  await using keyring = await startKeyring();
  await using folder = await temporaryFolder();
  const worker = fileURLToPath(new URL('../index/index-worker.js', import.meta.url));
  const state = `${folder.path}/new/state`;
  const ends = Array.from({ length: 30 }, async (_, at) => {
    const child = spawn(process.execPath, [worker, state, `first-${at}`, '1', 'keychain'], {
      env: { PATH: process.env['PATH'], ...keyring.env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return (await once(child, 'close'))[0] as number;
  });
  assert.deepEqual(await Promise.all(ends), Array(30).fill(0));
  const index = readIndexSync(`${state}/logins.json`);
  assert.ok(index.ok);
  const items = await keyring.items();
  assert.equal(index.document.logins.length, 30);
  for (const login of index.document.logins) {
    const item = items.find(({ account }) => account === login.key);
    assert.equal(item?.secret, `secret of ${login.key}`);
  }
});
