import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { materialBy, newSalts, parseSalts } from '../../../src/stores/shared/salts.js';
import { Secret } from '../../support/product.js';
import { findSecrets } from '../../support/secrets-search.js';
import { nobody, typing } from '../sealed-files/file-store-session.js';
import { begun, credential, key, name, quickly, readers, refreshers, session } from './passphrase-fleet.js';

test('what one machine has sealed by two passphrases another one opens by the same, and refreshes', async () => {
  await using at = await session();
  await at.begin();
  const terminal = typing('not the passphrase', readers.normalize('NFD'), refreshers);
  const store = await at.machine(1, terminal);
  assert.equal((await store.read(key))?.reveal(), credential);
  assert.deepEqual(terminal.asked, [
    'Passphrase of the readers of the engine: ',
    'Passphrase of the readers of the engine: ',
    'Passphrase of the refreshers of the engine: ',
  ]);
  const turn = await store.begin?.(key, { waitMs: 0, lives: true, signal: new AbortController().signal });
  assert.ok(
    turn !== undefined && typeof turn === 'object' && Symbol.asyncDispose in turn,
    'it has its turn to refresh',
  );
  await turn[Symbol.asyncDispose]();
});

test('neither passphrase, nor what they seal, is in the engine or in a file', async () => {
  await using at = await session();
  await at.begin();
  const made = parseSalts(Buffer.from(at.entries.get(name)?.value ?? []).toString(), 'default');
  assert.ok(typeof made === 'object');
  const material = await materialBy(quickly, made, 'readers', Buffer.from(readers));
  const other = await materialBy(quickly, made, 'refreshers', Buffer.from(refreshers));
  assert.ok(material && other);
  const secrets = {
    ...{ readers, refreshers, access: 'the-access-token', refresh: 'the-refresh-token' },
    ...{ key: material.toString('latin1'), hex: material.toString('hex'), sealed: material.toString('base64url') },
    ...{ 'other key': other.toString('latin1'), 'other in hex': other.toString('hex') },
  };
  const dump = [...at.entries].map(([one, { value }]) => `${one} ${Buffer.from(value).toString('latin1')}`).join('\n');
  assert.match(dump, /postern-shared 1 passphrase/);
  assert.deepEqual(await findSecrets(secrets, { folders: [at.folder], texts: { dump } }), []);
});

test('a runner opens the access token by the passphrase of the readers alone, and is not asked for the other', async () => {
  await using at = await session();
  await at.begin();
  const terminal = typing(readers);
  const store = await at.machine(1, terminal, { isReadOnly: true });
  const text = (await store.read(key))?.reveal() ?? '';
  assert.deepEqual(
    [terminal.asked.length, /the-access-token/.test(text), /the-refresh-token/.test(text)],
    [1, true, false],
  );
});

test('a wrong passphrase is told as such after three tries, and nothing is written', async () => {
  await using at = await session();
  await at.begin();
  const { writes } = at.state;
  const wrong = ['not this one', 'nor this one', 'nor that one'];
  for (const [lines, which] of [
    [wrong, /passphrase of the readers/],
    [[readers, readers, ...wrong.slice(1)], /passphrase of the refreshers/],
  ] as const) {
    const store = await at.machine(1, typing(...lines));
    await assert.rejects(async () => await store.ready?.(), { code: 'store_key_wrong', exit: 7, message: which });
  }
  const left = await at.machine(1, typing());
  await assert.rejects(left.read(key), { code: 'store_key_missing' });
  await assert.rejects((await at.machine(1, nobody)).read(key), { code: 'store_key_missing', remedy: /terminal/ });
  assert.equal(at.state.writes, writes);
  assert.deepEqual(await readdir(join(at.folder, 'machine-1')), []);
});

test('two equal passphrases are refused, short ones and equal ones asked for again, and nothing is written before', async () => {
  await using at = await session();
  const left = typing('short', readers, readers, readers, readers);
  await assert.rejects(async () => await (await at.machine(0, left)).ready?.(), { code: 'store_key_missing' });
  assert.deepEqual([left.asked.length, at.state.writes], [6, 0]);
  const terminal = typing(readers, readers, readers, readers, refreshers, refreshers);
  await (await at.machine(1, terminal)).ready?.();
  assert.ok(at.entries.has(name));
});

test('where nobody has chosen passphrases a look asks for none, finds nothing and writes nothing', async () => {
  await using at = await session();
  const terminal = typing();
  const store = await at.machine(0, terminal);
  assert.deepEqual([await store.read(key), await store.records?.(), await store.remove(key)], [undefined, [], false]);
  assert.deepEqual([terminal.asked, at.state.writes], [[], 0]);
});

test('key files and passphrases are told apart, and neither machine writes', async () => {
  await using begun = await session();
  await begun.begin();
  const files = [await begun.keyFile('one'), await begun.keyFile('two')];
  const { writes } = begun.state;
  const withFiles = await begun.machine(1, nobody, { files });
  const refused = { code: 'store_key_wrong', message: /begun with passphrases/ };
  await assert.rejects(async () => await withFiles.ready?.(), refused);
  await assert.rejects(withFiles.read(key), refused);
  const half = await begun.machine(2, typing(readers), { files: ['', files[1] ?? ''] });
  await assert.rejects(half.read(key), { code: 'store_key_missing', message: /two key files, or two passphrases/ });
  assert.equal(begun.state.writes, writes);

  await using other = await session();
  const theirs = [await other.keyFile('one'), await other.keyFile('two')];
  await (await other.machine(0, nobody, { files: theirs })).write(key, new Secret(credential));
  const before = other.state.writes;
  const typed = typing(readers, readers, refreshers, refreshers);
  const store = await other.machine(1, typed);
  await assert.rejects(async () => await store.ready?.(), {
    code: 'store_key_missing',
    message: /begun with key files/,
  });
  assert.deepEqual([typed.asked, other.state.writes], [[], before]);
});

test('salts that are gone or changed are told, and no new ones are made', async () => {
  await using at = await session();
  await at.begin();
  const typed = () => typing(readers, readers, refreshers, refreshers);
  const first = at.entries.get(name);
  assert.ok(first);
  const { salts } = await newSalts(quickly, 'default', {
    readers: Buffer.from(readers),
    refreshers: Buffer.from(refreshers),
  });
  at.entries.set(name, { ...first, value: Buffer.from(salts.text) });
  const known = async () => await (await at.machine(0, typed())).ready?.();
  await assert.rejects(known, { code: 'store_damaged', message: /others than those/ });
  at.entries.set(name, { ...first, value: Buffer.from('postern-shared 1 passphrase x\n') });
  await assert.rejects((await at.machine(5, typed())).read(key), { code: 'store_damaged', message: /damaged/ });
  at.entries.set(name, { ...first, value: Buffer.from('postern-shared 2 argon2id x\n') });
  await assert.rejects(known, { code: 'credential_newer' });
  at.entries.delete(name);
  await assert.rejects(known, { code: 'store_damaged', message: /are gone/, remedy: /\.salts/ });
  const unknown = await at.machine(6, typed());
  await assert.rejects(async () => await unknown.ready?.(), {
    code: 'store_key_missing',
    message: /its salts are gone/,
  });
  for (const one of [...at.entries.keys()]) at.entries.delete(one);
  await assert.rejects(known, { code: 'store_damaged', message: /are gone/ });
  assert.equal(at.entries.size, 0);
});

test('one salt of two that was changed opens nothing, for a machine that sees it first, too', async () => {
  await using at = await session();
  await at.begin();
  const first = at.entries.get(name);
  assert.ok(first);
  const words = Buffer.from(first.value).toString().split(' ');
  words[5] = randomBytes(32).toString('base64url');
  at.entries.set(name, { ...first, value: Buffer.from(words.join(' ')) });
  const store = await at.machine(1, typing(readers, readers, readers), { isReadOnly: true });
  await assert.rejects(store.read(key), { code: 'store_key_wrong' });
});

test('of two machines that begin at once one has its salts written, and the other opens by those', async () => {
  for (const same of [true, false]) {
    await using at = await session();
    at.state.beforeCommit = async () => {
      at.state.beforeCommit = () => undefined;
      await at.begin();
    };
    const mine = same ? refreshers : 'a third long passphrase';
    const late = await at.machine(1, typing(readers, readers, mine, mine));
    if (same) {
      await late.ready?.();
      assert.equal((await late.read(key))?.reveal(), credential);
    } else {
      await assert.rejects(async () => await late.ready?.(), { code: 'store_key_wrong', message: /refreshers/ });
    }
  }
});

test('while the engine is away the token read before is opened by the passphrase all the same', async () => {
  await using at = await session();
  await at.begin();
  const reader = () => at.machine(0, typing(readers), { isReadOnly: true });
  await (await reader()).read(key);
  at.state.isAway = true;
  const text = (await (await reader()).read(key))?.reveal() ?? '';
  assert.match(text, /the-access-token.*engine-away/);
  await rm(join(at.folder, 'machine-0'), { recursive: true });
  await assert.rejects((await reader()).read(key), { code: 'store_unavailable' });
});

test('a machine keeps the salts that it has used, as the engine has them, in a file that is closed to others', async () => {
  const { files, entries } = await begun;
  const kept = entries.find(([one]) => one === name)?.[1].value ?? [];
  assert.deepEqual(
    files.map(({ bytes }) => bytes.toString('latin1')),
    [Buffer.from(kept).toString('latin1')],
  );
  if (process.platform !== 'win32') assert.deepEqual(new Set(files.map(({ mode }) => mode & 0o777)), new Set([0o600]));
});
