import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Secret } from '../../support/product.js';
import { fileStoreSession, keyOf, typing } from './file-store-session.js';

const passphrase = 'a long passphrase é';

test('a key file that is short, not random, open to others, or beside what it opens is refused', async () => {
  await using session = await fileStoreSession();
  const path = join(session.folder, 'bad');
  const refused = async (file: string, pattern: RegExp) => {
    const store = session.open({ POSTERN_STORE_KEY_FILE: file });
    await assert.rejects(store.ready(), { code: 'store_key_unsafe', exit: 7, message: pattern });
  };
  await refused(path, /no such file/);
  await writeFile(path, randomBytes(31), { mode: 0o600 });
  await refused(path, /31 bytes/);
  await writeFile(path, Buffer.alloc(64));
  await refused(path, /not random/);
  await writeFile(path, randomBytes(5000));
  await refused(path, /5000 bytes/);
  await writeFile(path, randomBytes(32));
  await chmod(path, 0o640);
  await refused(path, /mode 640/);
  await refused(session.folder, /not a plain file/);
  for (const beside of [join(session.stateFolder, 'key'), join(session.sealed, 'key')]) {
    await writeFile(beside, randomBytes(32), { mode: 0o600 });
    await refused(beside, /in the folder of the sealed files/);
  }
  const link = join(session.folder, 'link');
  await symlink(join(session.sealed, 'key'), link);
  await refused(link, /in the folder of the sealed files/);
  await assert.rejects(session.open({ POSTERN_STORE_KEY_FILE: 'key' }).ready(), { code: 'path_refused' });
  assert.deepEqual(await readdir(session.sealed), ['key'], 'nothing was sealed');
});

test('another key file opens nothing, and says that it is another', async () => {
  await using session = await fileStoreSession();
  await session.store().write(keyOf('a'), new Secret('one'));
  const other = join(session.folder, 'other');
  await writeFile(other, randomBytes(32), { mode: 0o600 });
  const store = session.open({ POSTERN_STORE_KEY_FILE: other });
  await assert.rejects(store.read(keyOf('a')), {
    code: 'store_key_wrong',
    exit: 7,
    remedy: /lost.* postern login SERVER --store keychain$/,
  });
  await assert.rejects(store.write(keyOf('a'), new Secret('two')), { code: 'store_key_wrong' });
  await assert.rejects(session.open({}).read(keyOf('a')), { code: 'store_key_missing' });
  assert.equal((await session.store().read(keyOf('a')))?.reveal(), 'one');
});

test('a credential of systemd is a key file, and one that it does not give is none', async () => {
  await using session = await fileStoreSession();
  const credentials = join(session.folder, 'credentials');
  await mkdir(credentials, { mode: 0o700 });
  const env = { CREDENTIALS_DIRECTORY: credentials };
  await assert.rejects(session.open(env).ready(), { code: 'store_key_missing' });
  await writeFile(join(credentials, 'postern-store-key'), randomBytes(32), { mode: 0o400 });
  await session.open(env).write(keyOf('a'), new Secret('one'));
  assert.equal((await session.open(env).read(keyOf('a')))?.reveal(), 'one');
});

test('a passphrase is chosen twice, hidden, asked for once by each process, and tried again when mistyped', async () => {
  await using session = await fileStoreSession();
  const chooser = typing('short', passphrase, 'another one', passphrase, passphrase);
  const store = session.open({}, chooser);
  await store.ready();
  await store.write(keyOf('a'), new Secret('one'));
  assert.equal((await store.read(keyOf('a')))?.reveal(), 'one');
  assert.equal(chooser.asked.length, 5);
  assert.ok(chooser.asked.every((question) => !question.includes('(shown)')));

  const person = typing('mistyped it', passphrase.normalize('NFD'));
  const again = session.open({}, person);
  assert.equal((await again.read(keyOf('a')))?.reveal(), 'one');
  await again.write(keyOf('a'), new Secret('two'));
  assert.equal(person.asked.length, 2);

  const stranger = typing('guess number one', 'guess number two', 'guess number three', passphrase);
  await assert.rejects(session.open({}, stranger).read(keyOf('a')), { code: 'store_key_wrong' });
  assert.equal(stranger.asked.length, 3);
});

test('without a terminal a passphrase is never asked for, nor taken from a key file in its place [A-194]', async () => {
  await using session = await fileStoreSession();
  await assert.rejects(session.open({}).ready(), { code: 'store_key_missing', exit: 7 });
  assert.deepEqual(await readdir(session.sealed), []);
  await session.open({}, typing(passphrase, passphrase)).write(keyOf('a'), new Secret('one'));
  await assert.rejects(session.open({}).read(keyOf('a')), { code: 'store_key_missing' });
  await assert.rejects(session.store().read(keyOf('a')), { code: 'store_key_missing' });
  await assert.rejects(session.open({}, typing()).read(keyOf('a')), { code: 'store_key_missing' });
});
