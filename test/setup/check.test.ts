import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seeded, seed, server, token, work } from '../credential/seeded.js';
import { needs, unlessAbsent } from '../support/needs.js';
import { newerPrograms } from '../support/newer-programs.js';
import { programCommand, runProgram, startCommand } from '../support/program.js';
import { runWithUserBus } from './user-bus.js';

const skip = needs('gnome-keyring');
const paths = `${process.env['PATH']}:${newerPrograms.folder}`;
let world: Seeded | undefined;

before(async () => {
  if (skip === false) world = await seed(work());
});
after(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function setup(...args: readonly string[]) {
  assert.ok(world !== undefined);
  const finished =
    args[0] === 'codex'
      ? await runWithUserBus(world.home, programCommand(['setup', ...args]))
      : await runProgram({ ...world.home, env: { ...world.home.env, PATH: paths } }, ['setup', ...args]);
  assert.ok(!finished.stdout.includes(token) && !finished.stderr.includes(token), 'no token is shown');
  return finished;
}

for (const program of ['claude', 'codex', 'git', 'kubectl', 'bazel', 'go', 'curl']) {
  test(`${program}: --check runs what was written, as it would, and gets the token`, {
    skip: skip || (program === 'codex' && needs('root')) || (program === 'go' && unlessAbsent('go 1.24')),
  }, async () => {
    const hasFile = program !== 'curl' && program !== 'bazel';
    const first = await setup(program, 'work', '--check');
    assert.match(first.stdout, new RegExp(`\\b${token.length} characters`), first.stdout);
    assert.equal(first.code, hasFile ? 2 : 0);
    if (!hasFile) return;
    assert.match(first.stdout, /--write/);
    assert.equal((await setup(program, '--write')).code, 0);
    const checked = await setup(program, 'work', '--check', '--json');
    assert.equal(checked.code, 0, checked.stdout);
    const { entry, answer, file } = JSON.parse(checked.stdout);
    assert.deepEqual([entry, answer], ['there', 'token']);
    assert.ok(!readFileSync(file, 'utf8').includes(token));
    assert.equal((await setup(program, '--undo')).code, 0);
    assert.equal(existsSync(file), false);
  });
}

test('--check tells of a login that is missing, and of an entry that another release wrote', { skip }, async () => {
  const missing = await setup('claude', 'https://other.example/mcp', '--check');
  assert.equal(missing.code, 3);
  assert.match(missing.stdout, /would get nothing: postern ended with exit code 3[\s\S]*postern login/);
  const bridged = await setup('cursor', 'http://127.0.0.1:9/mcp', '--check');
  assert.notEqual(bridged.code, 0);
  assert.match(bridged.stdout, /Cursor [^\n]*: "[^\n]+\n$/, 'and why is said once');
  assert.equal((await setup('claude', 'work', '--write')).code, 0);
  const file = join(world?.home.path ?? '', '.claude.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('postern.js', 'old/postern.js'));
  const old = await setup('claude', 'work', '--check');
  assert.equal(old.code, 2);
  assert.match(old.stdout, /--write/);
});

test('--check never runs a command that stands in the file, and what is set for postern goes with the entry [A-264]', {
  skip,
}, async () => {
  assert.ok(world !== undefined);
  const trace = join(world.home.path, 'trace');
  const file = join(world.home.path, '.claude.json');
  const url = server;
  writeFileSync(file, JSON.stringify({ mcpServers: { work: { url, headersHelper: `touch ${trace}` } } }));
  await setup('claude', 'work', '--check');
  assert.equal(existsSync(trace), false);
  const { stdout } = await setup('claude', 'work');
  assert.match(stdout, /"\/usr\/bin\/env POSTERN_CONFIG_DIR=\S+ POSTERN_STATE_DIR=\S+ \/\S*node/);
});

test('for Bazel a line is printed, and the command that makes the helper that it names', { skip }, async () => {
  assert.ok(world !== undefined);
  const { stdout, stderr } = await setup('bazel', 'work');
  const [, shim = ''] = /^common --credential_helper=mcp\.example=(\S+\.postern-bazel-work)\n$/.exec(stdout) ?? [];
  const [, words = ''] = /Run this first: postern (.+)\n/.exec(stderr) ?? [];
  assert.match(stderr, /Add this line to \S+\.bazelrc:/);
  const made = await runProgram(world.home, words.split(' '));
  assert.equal(made.code, 0, made.stderr);
  const asked = startCommand(shim, ['get'], world.home);
  asked.stdin.end(JSON.stringify({ uri: server }));
  assert.ok((await asked.finished).stdout.includes(token));
  assert.equal((await setup('bazel', 'work', '--write')).code, 2);
});
