import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IndexDocument } from '../../../src/core/records.js';
import { eventsOf } from '../../../src/stores/index/with-history.js';
import { createLoginHistory, entriesIn, historyPath } from '../../../src/stores/state/login-history.js';
import { loginRecord } from '../../login/status/login-record.js';
import { assertMode } from '../../support/modes.js';
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
  assert.deepEqual(events(document(), document(login)), [['default', 'made']]);
  assert.deepEqual(events(document(login, other), document(other)), [['default', 'forgotten']]);
  assert.deepEqual(change({ generation: 2 }), [['default', 'made']]);
  assert.deepEqual(change({ generation: 2, scopes: ['notes'] }), [['default', 'stepped_up']]);
  assert.deepEqual(change({ obtainedAt: 5 }), [['default', 'refreshed']]);
  assert.deepEqual(change({ refusedToken: 5 }), [['default', 'reported']]);
  assert.deepEqual(change({ dead: true }), [
    ['default', 'ended', 'the authorization server refused its refresh token'],
  ]);
  assert.deepEqual(change({ gone: true }), [['default', 'ended', 'its secret was gone from its store']]);
  assert.deepEqual(change({ name: 'work' }), []);
});
