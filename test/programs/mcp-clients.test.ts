import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { isMissing, stage, token } from './stage.js';

test('Claude Code connects with the token of the keychain, by the entry that setup wrote, and forgets it with --undo', {
  skip: isMissing('claude'),
}, async () => {
  await using world = await stage();
  const file = join(world.home.path, '.claude.json');
  writeFileSync(file, '{\n  "numStartups": 2\n}\n');
  const written = await world.setup('claude', 'work', '--write');
  assert.equal(written.code, 0, written.stderr);
  const listed = await world.run('claude', ['mcp', 'list']);
  assert.match(listed.stdout, /work: .* ✔ Connected/u, listed.stdout + listed.stderr);
  assert.deepEqual(world.authorizations(), [`Bearer ${token}`]);
  assert.ok(!readFileSync(file, 'utf8').includes(token));
  // Claude Code has written its own things into the file meanwhile; they stay.
  const undone = await world.setup('claude', '--undo');
  assert.equal(undone.code, 0, undone.stderr);
  assert.doesNotMatch((await world.run('claude', ['mcp', 'list'])).stdout, /\bwork\b/);
});

test('Codex CLI connects with the token of the keychain, though it leaves no variable of the session bus', {
  skip: isMissing('codex') || needs('root'),
}, async () => {
  await using world = await stage();
  const folder = join(world.home.path, '.codex');
  mkdirSync(folder);
  const model = `model_provider = "fake" # no model is asked\n\n[model_providers.fake]\nname = "fake"\nbase_url = "${world.server.origin}/model"\n`;
  writeFileSync(join(folder, 'config.toml'), model);
  assert.equal((await world.setup('codex', 'work', '--write')).code, 0);
  const ran = await world.run('codex', ['exec', '--skip-git-repo-check', 'hi'], { userBus: true });
  const seen = world.server.seen.filter(({ url }) => url === '/mcp');
  assert.ok(seen.length > 0, ran.stderr);
  assert.deepEqual([...new Set(seen.map(({ headers }) => headers.authorization))], [`Bearer ${token}`]);
  assert.deepEqual(
    seen.flatMap(({ message }) => (message.method === 'initialize' ? [message.method] : [])),
    ['initialize'],
  );
  assert.match((await world.run('codex', ['mcp', 'list'])).stdout, /\bwork\b/);
  assert.equal((await world.setup('codex', '--undo')).code, 0);
  assert.equal(readFileSync(join(folder, 'config.toml'), 'utf8'), model);
});

test('what Claude Code and Codex CLI add to their files themselves leaves the entry to --check and --undo', {
  skip: isMissing('claude') || isMissing('codex') || needs('root'),
}, async () => {
  await using world = await stage();
  mkdirSync(join(world.home.path, '.codex'));
  for (const program of ['claude', 'codex'] as const) {
    assert.equal((await world.setup(program, 'work', '--write')).code, 0);
  }
  const url = 'https://other.example/mcp';
  await world.run('claude', ['mcp', 'add', '-s', 'user', '--transport', 'http', 'other', url]);
  await world.run('codex', ['mcp', 'add', 'other', '--url', url]);
  for (const [program, file] of [
    ['claude', '.claude.json'],
    ['codex', '.codex/config.toml'],
  ] as const) {
    const text = () => readFileSync(join(world.home.path, file), 'utf8');
    assert.ok(text().includes(url), program);
    assert.match((await world.setup(program, 'work', '--check')).stdout, /^The entry is in/, program);
    const undone = await world.setup(program, 'work', '--undo');
    assert.match(undone.stdout, /The entry alone was taken back/, undone.stderr);
    assert.ok(text().includes(url) && !text().includes('postern'), text());
  }
});

test('an entry of Claude Code for a login that is gone, its name another server’s now: no token of that one is sent', {
  skip: isMissing('claude'),
}, async () => {
  await using world = await stage();
  assert.equal((await world.setup('claude', 'work', '--write')).code, 0);
  assert.equal((await runProgram(world.home, ['logout', 'work'])).code, 0);
  const accessToken = 'another-servers.token';
  const expiresAt = Date.now() + 3_600_000;
  await storeLogin(world.home, { server: 'https://new.example/mcp', name: 'work', accessToken, expiresAt });
  const listed = await world.run('claude', ['mcp', 'list']);
  assert.doesNotMatch(listed.stdout, /✔ Connected/u);
  assert.ok(world.server.seen.length > 0, listed.stderr);
  assert.deepEqual(world.authorizations(), ['none']);
  const { stdout } = await runProgram(world.home, ['status']);
  assert.match(stdout, /credential headers for http:\/\/127\.0\.0\.1:\d+[^\n]+login needed/);
});

test('OpenCode connects through the bridge, by the entry that setup wrote', {
  skip: isMissing('opencode'),
}, async () => {
  await using world = await stage();
  assert.equal((await world.setup('opencode', 'work', '--write')).code, 0);
  const listed = await world.run('opencode', ['mcp', 'list']);
  assert.match(listed.stdout + listed.stderr, /work.*connected/, listed.stderr);
  assert.deepEqual(world.authorizations(), [`Bearer ${token}`]);
  const checked = await world.setup('opencode', 'work', '--check');
  assert.match(checked.stdout, /would be connected to the server scripted/);
  assert.equal(checked.code, 0);
});
