import assert from 'node:assert/strict';
import { chmod, link, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../support/arbitraries.js';
import { assertMode } from '../../support/modes.js';
import { Secret } from '../../support/product.js';
import { fileStoreSession, keyOf } from './file-store-session.js';

test('what is written is read again by another process with the same key, and lies nowhere in plain text [R-5.8b]', async () => {
  await using session = await fileStoreSession();
  await session.store().write(keyOf('a'), new Secret('a-secret-of-mine'));
  assert.equal((await session.store().read(keyOf('a')))?.reveal(), 'a-secret-of-mine');
  assert.equal(await session.store().read(keyOf('b')), undefined);
  for (const name of await readdir(session.sealed)) {
    const path = join(session.sealed, name);
    const { mode } = await stat(path);
    assertMode(mode, 0o600, name);
    assert.doesNotMatch(await readFile(path, 'latin1'), /secret/, name);
  }
  assertMode((await stat(session.sealed)).mode, 0o700);
});

test('every text up to the limit comes back as it was; more is refused and the old one stays', async () => {
  await using session = await fileStoreSession();
  const store = session.store();
  await fc.assert(
    fc.asyncProperty(anyText({ maxLength: 300 }), async (text) => {
      await store.write(keyOf('a'), new Secret(text));
      assert.equal((await store.read(keyOf('a')))?.reveal(), text);
    }),
    { numRuns: 30 },
  );
  await store.write(keyOf('a'), new Secret('x'.repeat(65_536)));
  await assert.rejects(store.write(keyOf('a'), new Secret('x'.repeat(65_537))), { code: 'store_too_large' });
  assert.equal((await store.read(keyOf('a')))?.reveal().length, 65_536);
});

test('with the last secret everything goes; what else is there stays until then [A-205]', async () => {
  await using session = await fileStoreSession();
  const store = session.store();
  await store.write(keyOf('a'), new Secret('one'));
  await store.write(keyOf('b'), new Secret('two'));
  // What a writer leaves that is killed before it renames.
  await writeFile(join(session.sealed, `.${keyOf('a')}.sealed.new`), 'half', { mode: 0o600 });
  assert.equal(await store.remove(keyOf('a')), true);
  assert.equal(await store.remove(keyOf('a')), false);
  assert.equal((await store.read(keyOf('b')))?.reveal(), 'two');
  assert.equal(await store.remove(keyOf('b')), true);
  assert.deepEqual(await readdir(session.sealed), []);
  await store.write(keyOf('b'), new Secret('again'));
  assert.equal((await session.store().read(keyOf('b')))?.reveal(), 'again');
});

test('a file that was changed, cut, or has another file’s name is refused and kept [A-196] [A-200]', async () => {
  await using session = await fileStoreSession();
  const store = session.store();
  await store.write(keyOf('a'), new Secret('one'));
  await store.write(keyOf('b'), new Secret('two'));
  const path = session.pathOf('a');
  const good = await readFile(path, 'latin1');
  const other = await readFile(session.pathOf('b'), 'latin1');
  const at = good.length - 6;
  const flipped = `${good.slice(0, at)}${good[at] === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`;
  for (const bad of [flipped, good.slice(0, -9), '', 'postern-sealed 1 \n', '{"plain":"text"}', other]) {
    await writeFile(path, bad, { mode: 0o600 });
    await assert.rejects(session.store().read(keyOf('a')), { code: 'credential_corrupt', exit: 7 }, bad);
    assert.equal(await readFile(path, 'latin1'), bad, 'left as it is');
    assert.equal((await session.store().read(keyOf('b')))?.reveal(), 'two', 'the others work');
  }
  await store.write(keyOf('a'), new Secret('a new login'));
  assert.equal((await session.store().read(keyOf('a')))?.reveal(), 'a new login');
});

test('a file of a later release is neither read nor replaced [A-197]', async () => {
  await using session = await fileStoreSession();
  const store = session.store();
  await store.write(keyOf('a'), new Secret('one'));
  const later = 'postern-sealed 2 whatever\n';
  await writeFile(session.pathOf('a'), later);
  await assert.rejects(store.read(keyOf('a')), { code: 'credential_newer' });
  await assert.rejects(store.write(keyOf('a'), new Secret('two')), { code: 'credential_newer' });
  assert.equal(await readFile(session.pathOf('a'), 'latin1'), later);
});

test('links, and files or folders that others have access to, are refused and never followed [A-201] [A-202]', async () => {
  await using session = await fileStoreSession();
  const store = session.store();
  await store.write(keyOf('a'), new Secret('one'));
  const path = session.pathOf('a');
  const refused = async () => {
    await assert.rejects(session.store().read(keyOf('a')), { code: 'state_unsafe', exit: 7 });
    await assert.rejects(session.store().write(keyOf('a'), new Secret('x')), { code: 'state_unsafe' });
  };
  await chmod(path, 0o644);
  await refused();
  await chmod(path, 0o600);
  await link(path, join(session.folder, 'second-name'));
  await refused();
  const target = join(session.folder, 'target');
  await rename(path, target);
  await symlink(target, path);
  const before = await readFile(target, 'latin1');
  await refused();
  assert.equal(await store.remove(keyOf('a')), true);
  assert.equal(await readFile(target, 'latin1'), before, 'only the link is gone');
  await chmod(session.sealed, 0o755);
  await refused();
});

test('without the head, or with another’s, nothing is opened and nothing new is sealed', async () => {
  await using session = await fileStoreSession();
  await session.store().write(keyOf('a'), new Secret('one'));
  const head = join(session.sealed, 'head');
  const good = await readFile(head, 'latin1');
  for (const [text, code] of [
    ['nonsense', 'store_damaged'],
    ['postern-store 2 x\n', 'credential_newer'],
    [good.replace(/ \S+\n$/, ` ${'A'.repeat(47)}\n`), 'store_key_wrong'],
  ] as const) {
    await writeFile(head, text);
    await assert.rejects(session.store().read(keyOf('a')), { code });
    await assert.rejects(session.store().ready(), { code });
    assert.equal(await readFile(head, 'latin1'), text);
  }
  await rename(head, join(session.folder, 'head'));
  await assert.rejects(session.store().read(keyOf('a')), { code: 'store_damaged' });
  await assert.rejects(session.store().write(keyOf('b'), new Secret('x')), { code: 'store_damaged' });
  await rename(join(session.folder, 'head'), head);
  await writeFile(head, good);
  assert.equal((await session.store().read(keyOf('a')))?.reveal(), 'one');
});

test('many writers at once, also at a first use: every secret is there afterwards [A-204]', async () => {
  await using session = await fileStoreSession();
  const words = Array.from({ length: 12 }, (_, index) => `word ${index}`);
  await Promise.all(words.map((word) => session.store().write(keyOf(word), new Secret(word))));
  const reader = session.store();
  for (const word of words) assert.equal((await reader.read(keyOf(word)))?.reveal(), word);
});
