import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { programFiles as files } from '../../src/setup/machine/program-files.js';
import { createSetupRecords } from '../../src/setup/machine/setup-records.js';
import { assertMode } from '../support/modes.js';
import { temporaryFolder } from '../support/temporary.js';
import { plainRecord } from './workshop.js';

test('what is no plain file of this user’s is left alone, and why is said [A-266]', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('folder'));
  symlinkSync(at('nowhere'), at('broken'));
  symlinkSync(at('loop'), at('loop'));
  writeFileSync(at('one'), '{}');
  linkSync(at('one'), at('two'));
  writeFileSync(at('utf16'), Buffer.from('\ufeff{}', 'utf16le'));
  writeFileSync(at('large'), Buffer.alloc(8 * 1024 * 1024 + 1, 0x20));
  const reasons = {
    folder: /not a plain file/,
    broken: /leads nowhere/,
    loop: /ELOOP/,
    one: /hard link/,
    utf16: /not UTF-8/,
    large: /it is larger than 8 MiB\./,
  };
  for (const [name, why] of Object.entries(reasons)) {
    await assert.rejects(files.read(at(name)), { code: 'program_file_unusable', message: why }, name);
  }
});

test('what somebody else wrote meanwhile is not overwritten, nor removed', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'config');
  writeFileSync(path, 'a');
  const file = await files.read(path);
  const absent = await files.read(join(folder.path, 'absent'));
  writeFileSync(path, 'b');
  writeFileSync(absent.path, 'b');
  for (const one of [file, absent]) {
    await assert.rejects(files.replace(one, 'c'), { code: 'program_file_changed' });
    await assert.rejects(files.remove(one), { code: 'program_file_changed' });
    assert.equal(readFileSync(one.path, 'utf8'), 'b');
  }
});

test('a file that cannot be written leaves nothing behind, and says so', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'x'.repeat(250)); // the temporary name is too long
  const file = await files.read(path);
  await assert.rejects(files.replace(file, 'c'), { code: 'program_file_unwritable' });
  assert.deepEqual(readdirSync(folder.path), []);
});

test('backups and records are closed to others; a damaged record is passed over', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'state', 'setup');
  const records = createSetupRecords(path);
  const id = crypto.randomUUID();
  const backup = await records.keep({ id, record: plainRecord }, '\ufeffBearer of a token\r\n');
  for (const name of readdirSync(path)) assertMode(statSync(join(path, name)).mode, 0o600);
  assertMode(statSync(path).mode, 0o700);
  assert.equal(await records.backup(id), '\ufeffBearer of a token\r\n');
  const { path: _, ...withoutPath } = plainRecord;
  for (const text of ['x', 'null', JSON.stringify(withoutPath), JSON.stringify({ ...plainRecord, version: 2 })])
    writeFileSync(join(path, `${crypto.randomUUID()}.json`), text, { mode: 0o600 });
  writeFileSync(join(path, 'notes.json'), JSON.stringify(plainRecord), { mode: 0o600 });
  assert.deepEqual(await records.all(), [{ id, record: plainRecord }]);
  await records.forget(id);
  await assert.rejects(records.backup(id), { code: 'state_unsafe' });
  assert.throws(() => readFileSync(backup), { code: 'ENOENT' });
});
