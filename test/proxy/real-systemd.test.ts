import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/free-port.js';
import { type Home, makeHomeWithKey } from '../support/home.js';
import { runProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { enterUserManagerGround, runtimeFolder, startUserManager } from '../support/user-manager.js';
import { ask } from './stand.js';

const skip = enterUserManagerGround();

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** What a program gets at that address, once somebody listens there. */
async function answerAt(address: string) {
  const { port, pathname } = new URL(address);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (;;) {
    try {
      return await ask({ port: Number(port) }, pathname, { method: 'POST', headers, body: initialize });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test('the printed unit runs a proxy at an address that stays, which says what to type where the login has ended, and ends', {
  skip,
  timeout: 120_000,
}, async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using bare = await makeHomeWithKey({ XDG_RUNTIME_DIR: runtimeFolder });
  // The manager has the usual place of configuration in mind.
  const home: Home = { ...bare, env: { ...bare.env, XDG_CONFIG_HOME: join(bare.path, '.config') } };
  const run = async (...words: string[]) => {
    const done = await runProgram(home, words);
    assert.equal(done.code, 0, done.stderr);
    return done;
  };
  const login = () => run('login', sandbox.serverUrl, '--device', '--store', 'file', '--name', 'work');
  await login();
  const folder = join(home.path, `100% a$HOME "b" it's %h \\`);
  await mkdir(folder);
  const keyFile = join(folder, 'key');
  const port = String(await freePort());
  const service = ['proxy', 'work', '--port', port, '--key-file', keyFile, '--print-service', 'systemd'];
  const units = join(home.path, '.config', 'systemd', 'user');
  await mkdir(units, { recursive: true });
  await writeFile(join(units, 'postern-proxy.service'), (await run(...service)).stdout);
  await using manager = await startUserManager(home.env);
  const { systemctl } = manager;
  systemctl('enable', '--now', 'postern-proxy');
  assert.equal(systemctl('is-enabled', 'postern-proxy'), 'enabled');
  while (systemctl('is-active', 'postern-proxy') !== 'active') await new Promise((resolve) => setTimeout(resolve, 50));
  const { error } = await answerAt(`http://127.0.0.1:${port}/none`).then(({ body }) => JSON.parse(body));
  assert.equal(error.code, 'key_needed');
  const key = (await readFile(keyFile, 'utf8')).trim();
  const address = `http://127.0.0.1:${port}/${key}/work`;
  assert.equal((await answerAt(address)).status, 200);
  const pid = Number(systemctl('show', '-p', 'MainPID', '--value', 'postern-proxy'));
  assert.doesNotMatch(readFileSync(`/proc/${pid}/cmdline`, 'latin1'), new RegExp(key));
  assert.match(readFileSync(`/proc/${pid}/status`, 'latin1'), /^NoNewPrivs:\t1$/m);

  await run('logout', 'work');
  let refused = await answerAt(address);
  // It believes a token for some seconds.
  while (refused.status === 200) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    refused = await answerAt(address);
  }
  assert.equal(refused.status, 503);
  assert.match(JSON.parse(refused.body).error.message, /^A login is needed\. Run: postern login /);
  await login();
  assert.equal((await answerAt(address)).status, 200);
  assert.equal(Number(systemctl('show', '-p', 'MainPID', '--value', 'postern-proxy')), pid, 'the same process');

  systemctl('restart', 'postern-proxy');
  assert.equal((await answerAt(address)).status, 200, 'another start, the same address');
  systemctl('disable', '--now', 'postern-proxy');
  assert.equal(systemctl('is-active', 'postern-proxy'), 'inactive');
  assert.equal(systemctl('is-enabled', 'postern-proxy'), 'disabled');
});
