import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemdUnits } from '../../../src/proxy/service/units/systemd.js';
import { type Home, makeHomeWithKey } from '../../support/home.js';
import { runProgram } from '../../support/program.js';
import { startSandbox } from '../../support/start-sandbox.js';
import {
  enterUserManagerGround,
  runtimeFolder,
  startUserManager,
  type UserManager,
} from '../../support/user-manager.js';
import { ask } from '../stand.js';
import { partsFor } from './unit-parts.js';

const skip = enterUserManagerGround(import.meta.url);

/** A home whose user has a manager, and a login `work` at a sandbox. */
async function scene() {
  const sandbox = await startSandbox({ approve: true });
  const bare = await makeHomeWithKey({ XDG_RUNTIME_DIR: runtimeFolder });
  // The manager has the usual place of configuration in mind.
  const env: Record<string, string> = { ...bare.env, XDG_CONFIG_HOME: join(bare.path, '.config') };
  const home: Home = { ...bare, env };
  const run = async (...words: string[]) => await runProgram(home, words);
  const login = async (name: string) => {
    const { code, stderr } = await run('login', sandbox.serverUrl, '--device', '--store', 'file', '--name', name);
    assert.equal(code, 0, stderr);
  };
  await login('work');
  return {
    home,
    sandbox,
    run,
    login,
    [Symbol.asyncDispose]: async () => {
      await bare[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** What a host gets by its address. */
async function askAs(address: string) {
  const { port, pathname } = new URL(address);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return await ask({ port: Number(port) }, pathname, { method: 'POST', headers, body: initialize });
}

const idIn = (json: string): string => JSON.parse(json).service.id;

async function mainProcess({ systemctl }: UserManager, unit: string): Promise<number> {
  return Number(systemctl('show', '-p', 'MainPID', '--value', unit));
}

test('systemd holds the port: from the start of a session on, and through stops, kills and the end of a login', {
  skip,
}, async () => {
  await using s = await scene();
  let address = '';
  let unit = '';
  {
    await using manager = await startUserManager(s.home.env);
    const made = await s.run('proxy', 'work', '--install', '--json');
    assert.equal(made.code, 0, made.stderr);
    address = JSON.parse(made.stdout).servers[0].url;
    unit = `postern-proxy-${idIn(made.stdout)}`;
    assert.equal(JSON.parse(made.stdout).service.running, true);
    assert.equal((await askAs(address)).status, 200);
    assert.equal(manager.systemctl('is-enabled', `${unit}.socket`), 'enabled');
  }
  const { port } = new URL(address);
  await assert.rejects(connected(Number(port)), 'the session is over');
  await using manager = await startUserManager(s.home.env);
  assert.equal(manager.systemctl('is-active', `${unit}.service`), 'inactive', 'nobody has asked yet');
  const taken = await s.run('proxy', 'work', '--port', port);
  assert.match(taken.stderr, new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is in use`));
  const all = await Promise.all(Array.from({ length: 20 }, () => askAs(address)));
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]), 'the first connections start it');
  const pid = await mainProcess(manager, `${unit}.service`);
  assert.doesNotMatch(
    readFileSync(`/proc/${pid}/cmdline`, 'latin1'),
    new RegExp(new URL(address).pathname.split('/')[1] ?? ''),
  );
  assert.match(readFileSync(`/proc/${pid}/status`, 'latin1'), /^NoNewPrivs:\t1$/m);
  process.kill(pid, 'SIGKILL');
  assert.equal((await askAs(address)).status, 200, 'killed');
  manager.systemctl('stop', `${unit}.service`);
  assert.equal((await askAs(address)).status, 200, 'stopped');
});

test('without a login the host is told what to type, and the service runs on until there is one', {
  skip,
}, async () => {
  await using s = await scene();
  await using manager = await startUserManager(s.home.env);
  const made = await s.run('proxy', 'work', '--install', '--json');
  const address: string = JSON.parse(made.stdout).servers[0].url;
  const unit = `postern-proxy-${idIn(made.stdout)}.service`;
  manager.systemctl('stop', unit);
  assert.equal((await s.run('logout', 'work')).code, 0);
  const refused = await askAs(address);
  assert.equal(refused.status, 503);
  assert.match(JSON.parse(refused.body).error.message, /postern login http:\S+\/mcp$/);
  const pid = await mainProcess(manager, unit);
  assert.ok(pid > 0);
  await s.login('other');
  assert.equal((await askAs(address)).status, 200);
  assert.equal(await mainProcess(manager, unit), pid, 'the same process');
  assert.equal(manager.systemctl('show', '-p', 'NRestarts', '--value', unit), '0');
});

test('a start that cannot succeed is not tried again and again', { skip }, async () => {
  await using s = await scene();
  await using manager = await startUserManager(s.home.env);
  const made = await s.run('proxy', 'work', '--install', '--json');
  const id = idIn(made.stdout);
  manager.systemctl('stop', `postern-proxy-${id}.service`);
  await writeFile(join(s.home.path, 'state', 'postern', 'services', `${id}.json`), '{}', { mode: 0o600 });
  manager.systemctl('start', `postern-proxy-${id}.service`);
  for (let looks = 0; looks < 100; looks += 1) {
    if (manager.systemctl('is-active', `postern-proxy-${id}.service`) === 'failed') break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(manager.systemctl('show', '-p', 'ExecMainStatus', '--value', `postern-proxy-${id}.service`), '2');
  assert.equal(manager.systemctl('show', '-p', 'NRestarts', '--value', `postern-proxy-${id}.service`), '0');
});

test('--uninstall leaves nothing that runs, nothing that would begin, and a free port', { skip }, async () => {
  await using s = await scene();
  await using manager = await startUserManager(s.home.env);
  const made = await s.run('proxy', 'work', '--install', '--json');
  const address: string = JSON.parse(made.stdout).servers[0].url;
  const { files } = JSON.parse(made.stdout).service;
  assert.equal((await askAs(address)).status, 200);
  const gone = await s.run('proxy', 'work', '--uninstall');
  assert.equal(gone.code, 0, gone.stderr);
  await assert.rejects(connected(Number(new URL(address).port)));
  assert.equal(manager.systemctl('list-units', '--all', '--plain', '--no-legend', 'postern*'), '');
  assert.equal(manager.systemctl('list-unit-files', '--plain', '--no-legend', 'postern*'), '');
  for (const file of files) await assert.rejects(readFile(file));
  assert.equal((await s.run('proxy', 'work', '--uninstall')).code, 2);
});

test('--uninstall from where the manager is out of reach: the commands that it leaves to type end what runs', {
  skip,
}, async () => {
  await using s = await scene();
  await using manager = await startUserManager(s.home.env);
  const made = await s.run('proxy', 'work', '--install', '--json');
  const address: string = JSON.parse(made.stdout).servers[0].url;
  assert.equal((await askAs(address)).status, 200);
  // As after su, or in a job of cron.
  const elsewhere = { ...s.home, env: { ...s.home.env, XDG_RUNTIME_DIR: join(s.home.path, 'runtime') } };
  const gone = await runProgram(elsewhere, ['proxy', 'work', '--uninstall', '--json']);
  assert.equal(gone.code, 2, gone.stderr);
  assert.equal((await askAs(address)).status, 401, 'it has no key any more');
  for (const command of JSON.parse(gone.stdout).service.commands) {
    const [, , ...words] = command.split(' ');
    assert.doesNotMatch(manager.systemctl(...words), /fail|not exist|not loaded/i, command);
  }
  await assert.rejects(connected(Number(new URL(address).port)));
  assert.equal(manager.systemctl('list-units', '--all', '--plain', '--no-legend', 'postern*'), '');
});

test('the words of a unit reach the program as they are, wherever it lies', { skip }, async () => {
  await using s = await scene();
  await using manager = await startUserManager(s.home.env);
  for (const [at, name] of ['My Documents', '100% $HOME %h', "it's", 'q"uo\\te', 'a;b#c $$ Zoë'].entries()) {
    const folder = join(s.home.path, name);
    await mkdir(folder);
    await symlink(process.execPath, join(folder, 'node'));
    const out = join(s.home.path, `out-${at}`);
    const script = join(folder, 'postern.cjs');
    await writeFile(
      script,
      `const { writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), process.env.POSTERN_STATE_DIR]));\n`,
    );
    const start = { node: join(folder, 'node'), script, lasts: 'upgrades' } as const;
    const parts = partsFor({ homedir: s.home.path, start, variables: { POSTERN_STATE_DIR: folder } });
    const units = systemdUnits({ ...parts, record: { ...parts.record, id: `odd-${at}` } });
    for (const { path, text } of units.files) {
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, text);
    }
    manager.systemctl('daemon-reload');
    const said = manager.systemctl('start', '--wait', `postern-proxy-odd-${at}.service`);
    const [words, state] = JSON.parse(await readFile(out, 'utf8').catch(() => assert.fail(`${name}: ${said}`)));
    assert.deepEqual([words.slice(1), state], [['proxy', `odd-${at}`, '--service'], folder], name);
    assert.ok(words[0].endsWith(join(name, 'postern.cjs')), name);
    manager.systemctl('stop', `postern-proxy-odd-${at}.socket`);
  }
});

function connected(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', reject).once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
