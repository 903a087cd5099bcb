import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { configure } from '../support/home.js';
import { keyringItems } from '../support/keyring-queries.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool', 'script');

/** A machine where everything was written that there is to be written. */
async function furnish(stage: Stage, others: readonly string[]) {
  for (const server of [stage.sandbox.serverUrl, ...others]) {
    await using login = stage.start('login', server, '--no-browser');
    await walkLogin(await authorizationUrlOf(login));
    assert.equal((await login.finished).code, 0);
  }
  const { path } = stage.home;
  const before = `{\n  "mcpServers": {"mine": {"url": "https://mine.example/mcp"}}\n}\n`;
  await mkdir(join(path, '.cursor'));
  const cursor = join(path, '.cursor', 'mcp.json');
  await writeFile(cursor, before);
  const shim = join(path, 'shim');
  for (const words of [
    ['setup', 'cursor', 'localhost', '--write'],
    ['setup', 'cursor', 'localhost-2', '--write'],
    ['setup', 'kiro', 'localhost', '--write'],
    ['credential', 'headers', 'localhost', '--shim', shim],
    ['call', 'localhost', 'whoami'],
    ['credential', 'headers', 'https://nowhere.example/mcp'],
    ['status', '--check'],
  ]) {
    await stage.run(...words);
  }
  await writeFile(join(path, 'state', 'postern', 'shell-history.json'), '{"version":1,"lines":[]}', { mode: 0o600 });
  await configure(stage.home, { timeoutSeconds: 60 });
  const ours = [join(path, 'state', 'postern'), join(path, 'config', 'postern')];
  assert.notEqual(await readFile(cursor, 'utf8'), before);
  assert.ok([shim, ...ours].every((one) => existsSync(one)));
  return { cursor, before, shim, ours };
}

test('uninstall shows what was written, and takes all of it back; killed in the middle, and run again, it ends well', {
  skip,
}, async () => {
  await using stage = await openStage();
  await using other = await startSandbox();
  const { cursor, before, shim, ours } = await furnish(stage, [other.serverUrl]);
  const shown = await stage.run('uninstall');
  assert.equal(shown.code, 0, shown.stderr);
  for (const part of [cursor, shim, 'localhost-2', stage.sandbox.serverUrl, 'logins.json', 'config.json']) {
    assert.ok(shown.stdout.includes(part), part);
  }
  assert.match(shown.stderr, /Nothing was changed\. To take all of it back, run: postern uninstall --yes/);
  const plan = JSON.parse((await stage.run('uninstall', '--json')).stdout);
  assert.deepEqual([plan.takenBack, plan.entries.length, plan.logins.length], [false, 3, 2]);
  await using asked = await stage.atTerminal('uninstall');
  await asked.screen.waitForStdout(/Take all of this back\? \[y\/N\]/);
  asked.type('\r');
  assert.equal((await asked.screen.finished).code, 4);
  assert.ok(existsSync(shim));

  // The first login is forgotten here, and its revocation hangs: there it is killed.
  stage.sandbox.setFaults(['revocation-slow']);
  const killed = stage.start('uninstall', '--yes');
  while (stage.sandbox.requests.every(({ path }) => !path.includes('revo'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  process.kill(killed.pid, 'SIGKILL');
  await killed.finished;
  stage.sandbox.setFaults([]);
  assert.ok(
    ours.every((one) => existsSync(one)),
    'what tells of the rest is still there',
  );

  const again = await stage.run('uninstall', '--yes');
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(again.stdout, /Logged out of localhost-2\. It cannot be refreshed any more/);
  assert.match(again.stderr, /npm uninstall -g postern/);
  assert.equal(other.stats.revocations, 1);
  assert.equal(await readFile(cursor, 'utf8'), before, 'to the byte');
  assert.deepEqual(
    [shim, ...ours].filter((one) => existsSync(one)),
    [],
  );
  assert.deepEqual(await keyringItems(stage.keyring.env), []);
  const nothing = await stage.run('uninstall');
  assert.deepEqual([nothing.code, nothing.stdout], [0, 'There is nothing here that postern wrote.\n']);
});

test('what is not postern’s stays: an entry and a shim that were changed since, and files in its folders', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { cursor, shim, ours } = await furnish(stage, []);
  const entry = JSON.parse(await readFile(cursor, 'utf8'));
  entry.mcpServers.localhost = { command: 'somebody-else' };
  await writeFile(cursor, JSON.stringify(entry));
  await writeFile(shim, '#!/bin/sh\necho mine\n');
  const [state = '', config = ''] = ours;
  await writeFile(join(state, 'package.json'), '{}');
  const kept = await stage.run('uninstall', '--yes');
  assert.notEqual(kept.code, 0);
  assert.match(kept.stdout, /Kept: /);
  assert.match(kept.stderr, /run again: postern uninstall/);
  assert.ok(existsSync(join(state, 'setup')), 'the backup of that file is still there');
  const forced = await stage.run('uninstall', '--yes', '--force');
  assert.match(forced.stdout, /package\.json/);
  assert.equal(await readFile(shim, 'utf8'), '#!/bin/sh\necho mine\n');
  assert.match(await readFile(cursor, 'utf8'), /somebody-else/);
  assert.deepEqual([existsSync(join(state, 'package.json')), existsSync(join(state, 'setup'))], [true, false]);
  assert.ok(!existsSync(config));
});
