import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSetupRecords } from '../../src/setup/machine/setup-records.js';
import { writeShimFile } from '../../src/setup/machine/shims.js';
import type { SetupRequest } from '../../src/setup/plan-entry.js';
import { programNamed } from '../../src/setup/programs/programs.js';
import { undoEntry } from '../../src/setup/undo-entry.js';
import { writeEntry } from '../../src/setup/write-entry.js';
import { assertMode } from '../support/modes.js';
import { temporaryFolder } from '../support/temporary.js';
import { plainRecord, workshop } from './workshop.js';

const { signal } = new AbortController();
const url = 'https://h.example/mcp';
const mark = 'written by postern';

function requestFor(name: string): SetupRequest {
  const words = [{ server: url, options: [] }];
  return { program: programNamed(name), scope: 'user', url, server: 'work', words, name: 'work', options: [] };
}

test('an entry that calls postern otherwise than it was written is somebody’s work, and stays', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const path = `${home.path}/.claude.json`;
  writeFileSync(path, '{"a": 1}');
  await writeEntry(world, requestFor('claude'), signal);
  const mine = readFileSync(path, 'utf8').replace(`headers ${url}`, `headers ${url} --account mine`);
  assert.ok(mine.includes('mine'));
  writeFileSync(path, mine);
  const [kept] = await world.programs.records.all();
  assert.ok(kept !== undefined);
  await assert.rejects(undoEntry(world, kept, signal), { code: 'entry_changed' });
  assert.equal(readFileSync(path, 'utf8'), mine);
  // The next --write is asked for by the person; the way back still leads to the beginning.
  assert.equal((await writeEntry(world, requestFor('claude'), signal)).outcome, 'changed');
  assert.equal(await world.programs.records.backup(kept.id), '{"a": 1}');
});

test('what others changed between two --write is not undone with the entry', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const path = `${home.path}/.claude.json`;
  writeFileSync(path, '{\n  "a": 1\n}\n');
  await writeEntry(world, requestFor('claude'), signal);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"a": 1', '"a": 2'));
  await writeEntry(workshop(home.path, '/opt/newer/postern.js'), requestFor('claude'), signal);
  const [kept] = await world.programs.records.all();
  assert.ok(kept !== undefined);
  assert.equal(await undoEntry(world, kept, signal), 'entry');
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { a: 2, mcpServers: {} });
});

test('where the entry was taken out by hand, the next --write keeps the file of now, and the old backup goes', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const path = `${home.path}/.claude.json`;
  writeFileSync(path, '{"a": 1}');
  const first = await writeEntry(world, requestFor('claude'), signal);
  assert.deepEqual([first.outcome, first.tookOut], ['made', false]);
  writeFileSync(path, '{"b": 2}');
  const second = await writeEntry(world, requestFor('claude'), signal);
  assert.equal(readFileSync(second.backup ?? '', 'utf8'), '{"b": 2}');
  assert.equal(existsSync(first.backup ?? ''), false);
  assert.equal((await world.programs.records.all()).length, 1);
});

const record = plainRecord;

test('a record or backup that another could have written, or larger than any, is not gone by [A-266]', async () => {
  for (const spoil of [
    (path: string) => chmodSync(path, 0o666),
    (path: string) => writeFileSync(path, ' '.repeat(33 * 1024 * 1024)),
    (path: string) => {
      writeFileSync(`${path}.other`, readFileSync(path), { mode: 0o600 });
      rmSync(path);
      symlinkSync(`${path}.other`, path);
    },
  ]) {
    await using folder = await temporaryFolder();
    const records = createSetupRecords(join(folder.path, 'setup'));
    const id = crypto.randomUUID();
    const backup = await records.keep({ id, record }, 'text');
    spoil(backup);
    await assert.rejects(records.backup(id), { code: 'state_unsafe' });
    spoil(backup.replace(/backup$/, 'json'));
    await assert.rejects(records.all(), { code: 'state_unsafe' });
  }
  await using folder = await temporaryFolder();
  const records = createSetupRecords(join(folder.path, 'setup'));
  const id = crypto.randomUUID();
  const backup = await records.keep({ id, record }, 'x'.repeat(1024 * 1024));
  assert.equal((await records.backup(id)).length, 1024 * 1024, 'a backup may be larger than a record');
  writeFileSync(backup.replace(/backup$/, 'json'), ' '.repeat(70_000));
  await assert.rejects(records.all(), { code: 'state_unsafe' });
});

test('a shim takes the place of a shim alone: never of a folder, a link or anybody’s own file', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const text = `#!/bin/sh\n# ${mark}\nexec true\n`;
  mkdirSync(at('folder'));
  writeFileSync(at('shim'), text);
  symlinkSync(at('shim'), at('link'));
  writeFileSync(at('theirs'), '#!/bin/sh\nexec true\n');
  writeFileSync(at('first'), `# ${mark}\n`);
  writeFileSync(at('third'), `\n\n# ${mark}\n`);
  writeFileSync(at('longer'), `\n# ${mark} not\n`);
  writeFileSync(at('large'), `${text}${' '.repeat(65_536)}`);
  const names = readdirSync(folder.path);
  for (const name of names.filter((one) => one !== 'shim')) {
    await assert.rejects(writeShimFile(at(name), 'new', mark), { code: 'shim_refused' }, name);
  }
  assert.deepEqual(readdirSync(folder.path), names, 'nothing is left behind');
  assert.equal(readFileSync(at('shim'), 'utf8'), text);
  const before = process.umask(0o777);
  try {
    assert.equal(await writeShimFile(at('shim'), 'new', mark), at('shim'));
  } finally {
    process.umask(before);
  }
  assert.equal(readFileSync(at('shim'), 'utf8'), 'new');
  assertMode(statSync(at('shim')).mode, 0o700);
  writeFileSync(at('batch.cmd'), `@echo off\r\n@rem ${mark}\r\n`);
  await writeShimFile(at('batch.cmd'), 'new', mark);
  const missing = writeShimFile(at('no/shim'), 'new', mark);
  await assert.rejects(missing, { code: 'shim_refused', message: /folder .* is not there/ });
  const long = writeShimFile(at('x'.repeat(250)), 'new', mark); // the temporary name is too long
  await assert.rejects(long, { code: 'file_unwritable' });
});
