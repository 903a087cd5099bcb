import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import type { HttpPorts } from '../../src/http/request.js';
import { checkEntry } from '../../src/setup/check-entry.js';
import { valueIn } from '../../src/setup/formats/entry.js';
import { configurationFile, type SetupRequest } from '../../src/setup/plan-entry.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { undoEntry } from '../../src/setup/undo-entry.js';
import { writeEntry } from '../../src/setup/write-entry.js';
import { needs, unlessAbsent } from '../support/needs.js';
import { temporaryFolder } from '../support/temporary.js';
import { configurations } from './configurations.js';
import { workshop } from './workshop.js';

const { signal } = new AbortController();
const url = 'https://h.example/mcp';

function requestFor(name: string): SetupRequest {
  const program = allPrograms.find((one) => one.name === name);
  assert.ok(program !== undefined);
  const words = [{ server: url, options: [] }];
  return { program, scope: 'user', url, server: 'work', words, name: 'work', options: [] };
}

/** Files as their owners' programs lay them out anew; the meaning stays. */
type Relayout = (path: string) => void;

const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .map(([name, one]) => [name, reversed(one)] as const)
          .reverse(),
      )
    : value;

/** An editor that sorts and indents, and keeps no comment. */
const json: Relayout = (path) => {
  const value = valueIn('json', readFileSync(path, 'utf8'), []);
  writeFileSync(path, JSON.stringify(reversed(value), null, 8));
};

const edit =
  (change: (text: string) => string): Relayout =>
  (path) =>
    writeFileSync(path, change(readFileSync(path, 'utf8')));

function run(path: string, [command = '', ...args]: readonly string[]): void {
  const env = { PATH: process.env['PATH'], HOME: dirname(path), KUBECONFIG: path, GIT_CONFIG_GLOBAL: path };
  const { status, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

const relayouts: Readonly<Record<string, readonly Relayout[]>> = {
  codex: [
    edit((text) => text.replace(/^(\w+) = "([^"\\]*)"/gm, "$1   =   '$2'   # by hand")),
    edit((text) => text.replaceAll('\n', '\n\n')),
  ],
  kubectl: [(path) => run(path, ['kubectl', 'config', 'set-context', 'k', '--user=work'])],
  git: [
    (path) => run(path, ['git', 'config', '--global', `credential.${url}.useHttpPath`, 'true']),
    edit((text) => text.replace(/^\t(helper|useHttpPath) =/gim, '    $1=')),
  ],
  grok: [
    edit((text) =>
      text.replace(/^args = \[(".*)\]$/gm, (_, list) => `args = [\n    ${list.replaceAll(', ', ',\n    ')},\n]`),
    ),
    edit((text) => text.replace(/ = /g, '=')),
  ],
  goose: [
    edit((text) => stringify(parse(text))),
    edit((text) => stringify(parse(text), { indentSeq: false, defaultStringType: 'QUOTE_SINGLE' })),
  ],
  go: [edit((text) => `${text.trim().split('\n').sort().join('\n')}\n`)],
};

for (const program of allPrograms.filter(({ format }) => format !== 'pasted')) {
  const { name } = program;
  test(`${name}: laid out anew by another program, the entry is still there to --check, --write and --undo`, {
    skip: name === 'go' ? unlessAbsent('go 1.24') : (name === 'kubectl' || name === 'git') && needs(name),
  }, async () => {
    for (const relayout of relayouts[name] ?? [json]) {
      for (const text of configurations[name] ?? []) {
        await using home = await temporaryFolder();
        const world = workshop(home.path);
        const path = configurationFile(world.programs, program, 'user') ?? '';
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
        await writeEntry(world, requestFor(name), signal);
        const [kept] = await world.programs.records.all();
        assert.ok(kept !== undefined);
        relayout(path);
        const elsewhere = `${readFileSync(path, 'utf8')}\n`;
        writeFileSync(path, elsewhere);

        const again = await writeEntry(world, requestFor(name), signal);
        assert.equal(again.outcome, 'unchanged', readFileSync(path, 'utf8'));
        assert.equal(readFileSync(path, 'utf8'), elsewhere);
        const nothing = async () => ({ kind: 'not_started', error: new Error('not there') }) as const;
        const { files } = world.programs;
        const exists = (one: string) => one.startsWith('/opt/') || files.exists(one);
        const checking = { ...world.programs, files: { ...files, exists }, find: () => undefined, run: nothing };
        const ports = {} as Pick<HttpPorts, 'http'>;
        const checked = await checkEntry(checking, ports, requestFor(name), { mode: 'run', signal });
        assert.equal(checked.state, 'there');

        // Another release writes another entry: the backup goes on being the file without any.
        const later = workshop(home.path, '/opt/newer/postern.js');
        const changed = await writeEntry(later, requestFor(name), signal);
        assert.equal(changed.outcome, 'changed');
        assert.equal(await world.programs.records.backup(kept.id), text);

        relayout(path);
        const [now] = await world.programs.records.all();
        assert.ok(now !== undefined);
        assert.equal(now.id, kept.id);
        const latest = readFileSync(path, 'utf8');
        writeFileSync(path, latest.replaceAll('postern.js', 'other.js'));
        await assert.rejects(undoEntry(world, now, signal), { code: 'entry_changed' });
        writeFileSync(path, latest);
        assert.equal(await undoEntry(world, now, signal), 'entry');
        const after = readFileSync(path, 'utf8');
        assert.doesNotMatch(after, /postern/);
        if (path.endsWith('.json')) {
          const before = valueIn('json', text, []) as object;
          assert.deepEqual(
            { ...empty(program.name), ...(valueIn('json', after, []) as object) },
            { ...empty(program.name), ...before },
          );
        }
        assert.deepEqual(await world.programs.records.all(), []);
      }
    }
  });
}

/** The list that an undo leaves empty where there was none. */
function empty(name: string): object {
  const below = {
    claude: 'mcpServers',
    opencode: 'mcp',
    zed: 'context_servers',
    vscode: 'servers',
    amp: 'amp.mcpServers',
    'devin-cli': 'mcpServers',
  }[name];
  return below === undefined ? {} : { [below]: {} };
}

test('what stood in the entry’s place comes back into a file that was laid out anew', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const path = `${home.path}/.cursor/mcp.json`;
  mkdirSync(dirname(path));
  const former = { command: 'npx', args: ['mcp-remote', url] };
  writeFileSync(path, JSON.stringify({ mcpServers: { work: former, z: {} } }));
  assert.equal((await writeEntry(world, requestFor('cursor'), signal)).outcome, 'changed');
  json(path);
  for (const kept of await world.programs.records.all()) assert.equal(await undoEntry(world, kept, signal), 'entry');
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { mcpServers: { work: former, z: {} } });
});

test('an entry that is gone is nothing left to undo; one that is somebody’s own work stays, with the backup', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const path = `${home.path}/.claude.json`;
  writeFileSync(path, '{"a": 1}');
  await writeEntry(world, requestFor('claude'), signal);
  const [kept] = await world.programs.records.all();
  assert.ok(kept !== undefined);
  const entry = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...entry, mcpServers: { work: { command: 'mine' } } }));
  await assert.rejects(undoEntry(world, kept, signal), { code: 'entry_changed' });
  assert.equal(await world.programs.records.backup(kept.id), '{"a": 1}');
  writeFileSync(path, '{"a": 1, "mcpServers": {}, "b": 2}');
  assert.equal(await undoEntry(world, kept, signal), 'nothing-left');
  assert.equal(readFileSync(path, 'utf8'), '{"a": 1, "mcpServers": {}, "b": 2}');
  assert.deepEqual(await world.programs.records.all(), []);
});

test('a member that another program has added to the entry is no change of it', async () => {
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const path = `${home.path}/.cursor/mcp.json`;
  await writeEntry(world, requestFor('cursor'), signal);
  const text = JSON.parse(readFileSync(path, 'utf8'));
  text.mcpServers.work.autoApprove = ['search'];
  writeFileSync(path, JSON.stringify(text));
  for (const kept of await world.programs.records.all()) assert.equal(await undoEntry(world, kept, signal), 'entry');
  assert.equal(readFileSync(path, 'utf8'), '{"mcpServers":{}}');
});

const second = 'https://h.example/second';

function forSecond(name: string): SetupRequest {
  return { ...requestFor(name), url: second, server: second, words: [{ server: second, options: [] }], name: 'second' };
}

for (const order of [
  [0, 1],
  [1, 0],
] as const) {
  test(`go: two servers in one GOAUTH, the ${order[0] === 0 ? 'first' : 'second'} undone, the other one stays`, {
    skip: unlessAbsent('go 1.24'),
  }, async () => {
    await using home = await temporaryFolder();
    const world = workshop(home.path);
    const path = `${home.path}/.config/go/env`;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'GOFLAGS=-mod=mod\nGOAUTH=netrc; git /home/a\n');
    await writeEntry(world, requestFor('go'), signal);
    await writeEntry(world, forSecond('go'), signal);
    const records = await world.programs.records.all();
    const made = [url, second].map((server) => records.find(({ record }) => record.server === server));
    const [one, other] = order.map((at) => made[at]);
    assert.ok(one !== undefined && other !== undefined);
    await undoEntry(world, one, signal);
    const between = readFileSync(path, 'utf8');
    assert.ok(between.includes(`goauth ${other.record.server};`) && !between.includes(`goauth ${one.record.server};`));
    await undoEntry(world, other, signal);
    assert.deepEqual(readFileSync(path, 'utf8').trim().split('\n').sort(), [
      'GOAUTH=netrc; git /home/a',
      'GOFLAGS=-mod=mod',
    ]);
  });
}
