import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
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
