import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { openStage } from './stage.js';

test('a server out of Cursor’s configuration, chosen at the terminal, logged in to, and set up for the bridge', {
  skip: needs('gnome-keyring', 'script'),
}, async () => {
  await using stage = await openStage();
  const folder = join(stage.home.path, '.cursor');
  await mkdir(folder);
  const url = stage.sandbox.serverUrl;
  const file = join(folder, 'mcp.json');
  const servers = { other: { url: 'https://other.example/mcp' }, Notes: { url, headers: { 'X-A': '1' } } };
  await writeFile(file, JSON.stringify({ mcpServers: servers }, null, 2));
  await using login = await stage.atTerminal('login', '--from', 'cursor', '--no-color');
  await login.screen.waitForStdout(/Log in to which of them\?/);
  login.type('2\r');
  await walkLogin(await stage.browser.opened(), {});
  const { code, stdout } = await login.screen.finished;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /Logged in\.\s+notes\s+http/);
  const written = await stage.run('setup', 'cursor', 'notes', '--as', 'Notes', '--write');
  assert.equal(written.code, 0, written.stderr);
  const { mcpServers } = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(Object.keys(mcpServers.Notes), ['command', 'args']);
  assert.deepEqual(mcpServers.other, servers.other);
  const checked = await stage.run('setup', 'cursor', 'notes', '--as', 'Notes', '--check');
  assert.equal(checked.code, 0, checked.stdout);
  assert.match(checked.stdout, /would be connected to the server/);
  assert.equal((await stage.run('setup', 'cursor', '--undo')).code, 0);
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { mcpServers: servers });
});
