import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rmdir, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventsOf } from '../../../src/stores/index/with-history.js';
import { entriesIn, givenOutPath, noteGivenOut } from '../../../src/stores/state/history-file.js';
import { createLoginHistory, historyPath } from '../../../src/stores/state/login-history.js';
import { loginRecord } from '../../login/status/login-record.js';
import { assertMode } from '../../support/modes.js';
import type { IndexDocument } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';

const login = loginRecord({ store: 'file' });

test('events are counted by kind and command, in a small private file that names no server', async () => {
  await using folder = await temporaryFolder();
  let now = 1000;
  const history = (command: string) => createLoginHistory({ stateFolder: folder.path, command, now: () => now++ });
  await history('login').note(login, 'made');
  for (let count = 0; count < 1000; count += 1) await history('call').note(login, 'used');
  await history('bridge').note(login, 'used');
  assert.deepEqual(
    (await history('status').read(login)).map(({ what, detail, count }) => [what, detail, count]),
    [
      ['made', '', 1],
      ['used', 'call', 1000],
      ['used', 'bridge', 1],
    ],
  );
  const { size, mode } = await stat(historyPath(folder.path, login));
  assert.ok(size <= 16_384 + 200, String(size));
  assertMode(mode, 0o600);
  const [file = '', ...others] = await readdir(join(folder.path, 'history'));
  assert.deepEqual(others, []);
  assert.doesNotMatch((await readFile(join(folder.path, 'history', file), 'utf8')) + file, /mcp\.example/);
  await history('logout').forget(login);
  assert.deepEqual(await history('status').read(login), []);
});

test('nothing is noted of a token of the environment, or of a login in memory; a folder that is not to be written to is no failure', async () => {
  await using folder = await temporaryFolder();
  const options = { stateFolder: folder.path, command: 'call', now: () => 1 };
  await createLoginHistory(options).note({ ...login, store: 'environment' }, 'used');
  await createLoginHistory(options).note({ ...login, store: 'memory' }, 'used');
  assert.deepEqual(await readdir(folder.path), []);
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  await createLoginHistory({ ...options, stateFolder: file }).note(login, 'used');
});

test('what the hot path gives out is counted with the rest, stays small, and is kept when the login gets another key', async () => {
  await using folder = await temporaryFolder();
  let now = 1000;
  const history = createLoginHistory({ stateFolder: folder.path, command: 'call', now: () => now++ });
  await history.note(login, 'used');
  for (let count = 0; count < 1000; count += 1) noteGivenOut(folder.path, login.key, 'token', now++);
  noteGivenOut(folder.path, login.key, 'credential git', now++);
  const counted = [
    ['call', 1],
    ['token', 1000],
    ['credential git', 1],
  ];
  const counts = async (of: typeof login) => (await history.read(of)).map(({ detail, count }) => [detail, count]);
  assert.deepEqual(await counts(login), counted);
  const { size, mode } = await stat(givenOutPath(folder.path, login.key));
  assert.ok(size <= 16_384 + 200, String(size));
  assertMode(mode, 0o600);
  assert.equal((await readdir(join(folder.path, 'history'))).length, 2);
  await history.settle(login);
  assert.deepEqual(await counts({ ...login, key: 'e'.repeat(64) }), counted);
  noteGivenOut(folder.path, login.key, 'token', now++);
  await history.forget(login);
  assert.deepEqual(await readdir(join(folder.path, 'history')), []);
});

test('nothing is written through a link, or to what is no file; one that cannot be written anew grows to 32 KiB at most', async () => {
  await using folder = await temporaryFolder();
  const path = givenOutPath(folder.path, login.key);
  await mkdir(join(path, '..'), { mode: 0o700 });
  const target = join(folder.path, 'target');
  await writeFile(target, 'as it was');
  await symlink(target, path);
  noteGivenOut(folder.path, login.key, 'token', 1);
  assert.equal(await readFile(target, 'utf8'), 'as it was');
  await unlink(path);
  await mkdir(path);
  noteGivenOut(folder.path, login.key, 'token', 1);
  await rmdir(path);
  await mkdir(`${path}.${process.pid}`); // where it would be written anew
  for (let count = 0; count < 250; count += 1) noteGivenOut(folder.path, login.key, 'x'.repeat(100), 1);
  const { size } = await stat(path);
  assert.ok(size > 32_768 && size <= 32_768 + 200, String(size));
});

test('whatever a file holds, its entries are few and whole; what was folded counts the same', () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        what: fc.constantFrom('made', 'used', 'refreshed', 'stolen'),
        detail: fc.string({ maxLength: 3 }),
        count: fc.oneof(fc.nat(), fc.double()),
        first: fc.nat(),
        last: fc.nat(),
      })
      .map((one) => JSON.stringify(one)),
  );
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (some, more) => {
      const lines = (entries: readonly object[]) => entries.map((one) => JSON.stringify(one));
      const folded = entriesIn(lines(entriesIn(some.join('\n'))).join('\n'));
      assert.deepEqual(folded, entriesIn(some.join('\n')));
      assert.ok(folded.length <= 40);
      for (const { count, first, detail } of folded) {
        assert.ok(Number.isSafeInteger(count) && Number.isSafeInteger(first) && detail.length <= 100);
      }
      if (some.length + more.length > 30) return; // fewer kinds than are kept
      const twice = entriesIn([...lines(folded), ...more].join('\n'));
      const once = entriesIn([...some, ...more].join('\n'));
      const counts = (entries: typeof once) =>
        entries.map(({ what, detail, count }) => `${what} ${detail} ${count}`).sort();
      assert.deepEqual(counts(twice), counts(once));
    }),
  );
});

test('a change of the index is what happened: made, stepped up, refreshed, ended, forgotten', () => {
  const document = (...logins: IndexDocument['logins']): IndexDocument => ({ version: 1, logins, registrations: [] });
  const events = (before: IndexDocument, after: IndexDocument) =>
    eventsOf(before, after).map(([{ account }, what, why]) => [account, what, ...(why === undefined ? [] : [why])]);
  const other = loginRecord({ account: 'other' });
  const change = (changes: object) => events(document(login, other), document({ ...login, ...changes }, other));
  assert.deepEqual(events(document(), document(login)), [
    ['default', 'forgotten'],
    ['default', 'made'],
  ]);
  assert.deepEqual(events(document(login, other), document(other)), [['default', 'forgotten']]);
  assert.deepEqual(change({ generation: 2 }), [['default', 'made']]);
  assert.deepEqual(change({ generation: 2, scopes: ['notes'] }), [['default', 'stepped_up']]);
  assert.deepEqual(change({ key: 'e'.repeat(64) }), [
    ['default', 'rekeyed'],
    ['default', 'made'],
  ]);
  assert.deepEqual(change({ obtainedAt: 5 }), [['default', 'refreshed']]);
  assert.deepEqual(change({ refusedToken: 5 }), [['default', 'reported']]);
  assert.deepEqual(change({ dead: true }), [
    ['default', 'ended', 'the authorization server refused its refresh token'],
  ]);
  assert.deepEqual(change({ gone: true }), [['default', 'ended', 'its secret was gone from its store']]);
  assert.deepEqual(change({ name: 'work' }), []);
});
