import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/free-port.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';
import { startSandbox } from '../support/start-sandbox.js';

/** `postern login` at a terminal, and the person's way through the pages. */
async function logIn(stage: Stage, ...args: string[]): Promise<string> {
  await stage.browser.forget();
  await using login = await stage.atTerminal('login', ...args, '--no-color');
  await walkLogin(await stage.browser.opened());
  const { code, stdout } = await login.screen.finished;
  assert.equal(code, 0, stdout);
  return stdout;
}

const named = async (stage: Stage): Promise<readonly string[]> =>
  JSON.parse((await stage.run('status', '--json')).stdout).logins.map(({ name }: { name: string }) => name);

test('a login has a name without being given one; every command takes it; a valid one is asked about; logout --all asks', async () => {
  await using stage = await openStage();
  await using other = await startSandbox();
  const first = await logIn(stage, stage.sandbox.serverUrl);
  assert.match(first, /Logged in\.\s+localhost /);
  assert.match(first, /Next: postern call localhost\s/);
  assert.match(await logIn(stage, other.serverUrl), /Next: postern call localhost-2\s/);
  assert.deepEqual(await named(stage), ['localhost', 'localhost-2']);
  assert.match((await stage.run('call', 'localhost-2', 'whoami')).stdout, /alice/);
  assert.equal((await stage.run('token', 'localhost')).code, 0);
  const again = await logIn(stage, 'localhost-2', '--force');
  assert.doesNotMatch(again, /Next:|Log in again/, 'said once');

  await using asked = await stage.atTerminal('login', 'localhost');
  await asked.screen.waitForStdout(/already logged in to localhost[\s\S]*Log in again\? \[y\/N\]/);
  asked.type('\r');
  const kept = await asked.screen.finished;
  assert.deepEqual([kept.code, /Nothing was changed/.test(kept.stdout)], [0, true], kept.stdout);

  assert.equal((await stage.run('logout', 'localhost')).code, 0);
  await using third = await startSandbox();
  assert.match(await logIn(stage, third.serverUrl), /Next: postern call localhost-3\s/);
  assert.match(await logIn(stage, stage.sandbox.serverUrl), /Next: postern call localhost\s/);

  const refused = await stage.run('logout', '--all');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /end 3 logins \(localhost-2, localhost-3, localhost\)/);
  assert.match(refused.stderr, /Run: postern logout --all --yes/);
  await using ending = await stage.atTerminal('logout', '--all');
  await ending.screen.waitForStdout(/There are 3 logins:[\s\S]*Log out of all 3\? \[y\/N\]/);
  ending.type('\r');
  assert.equal((await ending.screen.finished).code, 4);
  assert.equal((await named(stage)).length, 3);
  assert.equal((await stage.run('logout', '--all', '--yes')).code, 0);
  assert.deepEqual(await named(stage), []);
  assert.equal((await stage.run('logout', '--all')).code, 0, 'nothing to ask about');
});

test('login --from --all takes each server that a program is set up for, and says how each went', async () => {
  await using stage = await openStage();
  await using other = await startSandbox();
  const servers = {
    Work: { url: stage.sandbox.serverUrl },
    gone: { url: `http://127.0.0.1:${await freePort()}/mcp` },
    Notes: { url: other.serverUrl },
  };
  await mkdir(join(stage.home.path, '.cursor'));
  await writeFile(join(stage.home.path, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  await logIn(stage, stage.sandbox.serverUrl, '--name', 'mine');
  await stage.browser.forget();
  await using login = await stage.atTerminal('login', '--from', 'cursor', '--all', '--no-color');
  await walkLogin(await stage.browser.opened());
  const { code, stdout } = await login.screen.finished;
  assert.equal(code, 6, stdout);
  assert.match(stdout, /mine +was logged in +http/);
  assert.match(stdout, /gone +failed +http/);
  assert.match(stdout, /notes +logged in +http/);
  assert.match(stdout, /Logged in to 1 server of 3; 1 failed/);
  assert.deepEqual(await named(stage), ['mine', 'notes']);
  assert.equal((await stage.run('login', '--all')).code, 2);
  assert.equal((await stage.run('login', 'x', '--from', 'cursor', '--all')).code, 2);
});

test('login --from --all of more than five servers asks at a terminal, and lists a dozen of them', async () => {
  await using stage = await openStage();
  const servers = Object.fromEntries(
    Array.from({ length: 14 }, (_, at) => [`s${at}`, { url: `http://127.0.0.1:1/mcp/${at}` }]),
  );
  await mkdir(join(stage.home.path, '.cursor'));
  await writeFile(join(stage.home.path, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  await using asked = await stage.atTerminal('login', '--from', 'cursor', '--all');
  await asked.screen.waitForStdout(/14 servers[\s\S]*s11 +http[\s\S]*and 2 more[\s\S]*Log in to all 14\? \[y\/N\]/);
  asked.type('\r');
  const kept = await asked.screen.finished;
  assert.deepEqual([kept.code, /Nothing was changed/.test(kept.stdout)], [4, true], kept.stdout);
});
