import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { test } from 'node:test';
import { programFileUnwritable } from '../../src/setup/failures.js';
import { configurationFile, type SetupRequest } from '../../src/setup/plan-entry.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { undoEntry } from '../../src/setup/undo-entry.js';
import { writeEntry } from '../../src/setup/write-entry.js';
import { assertMode } from '../support/modes.js';
import { needs, unlessAbsent } from '../support/needs.js';
import { temporaryFolder } from '../support/temporary.js';
import { configurations } from './configurations.js';
import { workshop } from './workshop.js';

const programs = allPrograms.filter(({ format }) => format !== 'pasted');

/** Programs that write their own file: they lay it out, and have forms of their own. */
const skipOf = ({ name }: SetupRequest['program']) =>
  name === 'go' ? unlessAbsent('go 1.24') : (name === 'git' || name === 'kubectl') && needs(name);
const { signal } = new AbortController();

function requestFor(program: SetupRequest['program'], more: Partial<SetupRequest> = {}): SetupRequest {
  const url = 'https://h.example/mcp';
  const words = [{ server: url, options: [] }];
  return { program, scope: 'user', url, server: 'work', words, name: 'work', options: [], ...more };
}

const forms: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text) => `\ufeff${text}`],
];

const kindOf = (program: SetupRequest['program']) => extname(fileOf(program)) || basename(fileOf(program));

const fileOf = (program: SetupRequest['program']) =>
  configurationFile(workshop('/home/a').programs, program, 'user') ?? '';

const firstOfKind = (program: SetupRequest['program']) => programs.find((one) => kindOf(one) === kindOf(program));

const formAt = (at: number) => forms[at % forms.length] ?? ['as it is', (text: string) => text];

for (const program of programs) {
  test(`${program.name}: --write twice is --write once, and --undo leaves the file as it was, byte for byte`, {
    skip: skipOf(program),
  }, async () => {
    for (const [at, text] of (configurations[program.name] ?? []).entries()) {
      // Each form with the first file of its kind; whatever else is edited by the same code comes in one of them.
      for (const [form, made] of at === 0 && program === firstOfKind(program) ? forms : [formAt(at)]) {
        await using home = await temporaryFolder();
        const world = workshop(home.path);
        const path = configurationFile(world.programs, program, 'user') ?? '';
        const before = Buffer.from(made(text));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, before, { mode: 0o640 });
        const first = await writeEntry(world, requestFor(program), signal);
        assert.equal(first.outcome === 'unchanged', false);
        const after = readFileSync(path);
        assert.notDeepEqual(after, before);
        assert.deepEqual(readFileSync(first.backup ?? ''), before, 'the backup');
        const second = await writeEntry(world, requestFor(program), signal);
        assert.equal(second.outcome, 'unchanged', `${form}: ${after}`);
        assert.deepEqual(readFileSync(path), after);
        assertMode(statSync(path).mode, 0o640);
        const records = await world.programs.records.all();
        assert.equal(records.length, 1);
        for (const kept of records) assert.equal(await undoEntry(world, kept, signal), 'file');
        assert.deepEqual(readFileSync(path), before, form);
        assert.deepEqual(await world.programs.records.all(), []);
        assert.equal(existsSync(first.backup ?? ''), false);
      }
    }
  });
}

for (const program of programs.filter((one) => one === firstOfKind(one))) {
  test(`${program.name}: a file that was not there is closed to others, and gone after --undo`, {
    skip: skipOf(program),
  }, async () => {
    await using home = await temporaryFolder();
    const world = workshop(home.path);
    const { plan } = await writeEntry(world, requestFor(program), signal);
    assertMode(statSync(plan.file.path).mode, 0o600);
    const [kept] = await world.programs.records.all();
    assert.ok(kept !== undefined);
    assert.equal(await undoEntry(world, kept, signal), 'file');
    assert.equal(existsSync(plan.file.path), false);
  });
}

test('a linked file is changed where it lies, and stays a link; others’ and broken ones are left alone', {
  skip: needs('git'),
}, async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const git = programs.find(({ name }) => name === 'git');
  assert.ok(git !== undefined);
  mkdirSync(join(home.path, 'dotfiles'));
  const real = join(home.path, 'dotfiles', 'gitconfig');
  const link = join(home.path, '.gitconfig');
  writeFileSync(real, '[user]\n\tname = A\n');
  symlinkSync(real, link);
  const { plan } = await writeEntry(world, requestFor(git), signal);
  assert.equal(plan.file.path, real);
  assert.ok(lstatSync(link).isSymbolicLink() && readFileSync(real, 'utf8').includes('postern'));
  for (const spoil of [
    () => writeFileSync(real, Buffer.from([0xff, 0xfe, 0x41, 0])),
    () => chmodSync(join(home.path, 'dotfiles'), 0o777),
  ]) {
    spoil();
    await assert.rejects(writeEntry(world, requestFor(git), signal), { code: 'program_file_unusable' });
  }
});

test('another server’s entry of that name is not taken, one for the same server is', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const cursor = programs.find(({ name }) => name === 'cursor');
  assert.ok(cursor !== undefined);
  const path = configurationFile(world.programs, cursor, 'user') ?? '';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"mcpServers": {"work": {"url": "https://other.example/mcp"}}}');
  await assert.rejects(writeEntry(world, requestFor(cursor), signal), { code: 'entry_taken' });
  const remote = ['-y', 'mcp-remote', 'https://H.example:443/mcp', '--header', 'Authorization: Bearer s'];
  writeFileSync(path, JSON.stringify({ mcpServers: { work: { command: 'npx', args: remote } } }));
  const written = await writeEntry(world, requestFor(cursor), signal);
  assert.deepEqual([written.outcome, written.tookOut], ['changed', true]);
  assertMode(statSync(written.backup ?? '').mode, 0o600);
  assert.ok(!readFileSync(path, 'utf8').includes('Bearer'));
});

test('a second --write after an upgrade keeps the first backup: --undo goes back to the beginning', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const later = workshop(home.path, '/opt/newer/postern.js');
  const claude = programs.find(({ name }) => name === 'claude');
  assert.ok(claude !== undefined);
  const path = join(home.path, '.claude.json');
  writeFileSync(path, '{"a": 1}');
  await writeEntry(world, requestFor(claude), signal);
  assert.equal((await writeEntry(later, requestFor(claude), signal)).outcome, 'changed');
  const records = await world.programs.records.all();
  assert.equal(records.length, 1);
  for (const kept of records) assert.equal(await undoEntry(world, kept, signal), 'file');
  assert.equal(readFileSync(path, 'utf8'), '{"a": 1}');
});

test('a --write that fails leaves no record and no folder behind, and an earlier record as it was', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const { files, records } = world.programs;
  const failing = (file: string) => ({
    ...world,
    programs: {
      ...world.programs,
      files: {
        ...files,
        replace: async (...given: Parameters<typeof files.replace>) => {
          if (given[0].path.endsWith(file)) throw programFileUnwritable(given[0].path, 'ENOSPC');
          await files.replace(...given);
        },
      },
    },
  });
  const code = 'program_file_unwritable';
  const program = programs.find(({ name }) => name === 'zed');
  assert.ok(program !== undefined);
  await assert.rejects(writeEntry(failing('settings.json'), requestFor(program), signal), { code });
  assert.deepEqual(await records.all(), []);
  const left = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
  const kept = left.filter((path) => !/^\.local(?:\/state(?:\/postern(?:\/(?:setup|locks).*)?)?)?$/.test(path));
  assert.deepEqual([kept, left.filter((path) => path.endsWith('.backup'))], [[], []]);
  await writeEntry(world, requestFor(program), signal);
  const before = await records.all();
  const newer = failing('settings.json');
  newer.programs.machine = { ...newer.programs.machine, variables: { POSTERN_CONFIG_DIR: '/other' } };
  await assert.rejects(writeEntry(newer, requestFor(program), signal), { code });
  assert.deepEqual(await records.all(), before);
});

test('--undo where the file is gone, or is again what it was, changes nothing and forgets the record', async () => {
  for (const then of ['gone', 'as before'] as const) {
    await using home = await temporaryFolder();
    const world = workshop(home.path);
    const [program] = programs;
    assert.ok(program !== undefined);
    const path = configurationFile(world.programs, program, 'user') ?? '';
    const before = configurations[program.name]?.[0] ?? '';
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, before);
    await writeEntry(world, requestFor(program), signal);
    if (then === 'gone') rmSync(path);
    else writeFileSync(path, before);
    const [kept] = await world.programs.records.all();
    assert.ok(kept !== undefined);
    assert.equal(await undoEntry(world, kept, signal), 'nothing-left', then);
    assert.equal(existsSync(path), then === 'as before', 'a file that its owner took away is not made again');
    assert.deepEqual(await world.programs.records.all(), []);
  }
});
