import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { type Home, makeHome } from '../support/home.js';
import { startProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { startBridge } from './host.js';

const secret = 'kept-from-argv-and-from-disk-0123456789';
const own = ['--client-credentials'];
const whoami = { method: 'tools/call', params: { name: 'whoami', arguments: {} } };

/** A CI job: no keychain, no terminal, a client's secret in a file. */
async function job(accessTokenSeconds: number, given = secret) {
  const clients = [{ client_id: 'ci', client_secret: secret, redirect_uris: [] }];
  const sandbox = await startSandbox({ clients, accessTokenSeconds });
  const bare = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci', POSTERN_AUTHORIZATION_SERVER: sandbox.issuer });
  const file = join(bare.path, 'secret');
  await writeFile(file, `${given}\n`, { mode: 0o600 });
  const home: Home = { ...bare, env: { ...bare.env, POSTERN_CLIENT_SECRET_FILE: file } };
  return { sandbox, home, tokens: () => sandbox.requests.filter(({ path }) => path.endsWith('/token')).length };
}

async function filesLeft(home: Home): Promise<readonly string[]> {
  const folders = ['state', 'config', 'data', 'cache'].map((name) => join(home.path, name));
  const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  return entries.flat().flatMap((one) => (one.isFile() ? one.name : []));
}

test('a bridge logs in as the client itself, renews that by itself, asks nobody, and leaves nothing behind', async () => {
  const { sandbox, home, tokens } = await job(6);
  await using _sandbox = sandbox;
  await using _home = home;
  {
    await using host = startBridge(home, sandbox.serverUrl, ...own);
    assert.ok((await host.open()).result !== undefined, host.program.stderr);
    assert.match(JSON.stringify(await host.ask({ id: 2, ...whoami })), /"ci /);
    const before = tokens();
    await later(6_100);
    assert.match(JSON.stringify(await host.ask({ id: 3, ...whoami })), /"ci /);
    assert.ok(tokens() > before, 'a token that ran out is renewed');
    host.program.stdin.end();
    const { code, stderr, stdout } = await host.program.finished;
    assert.equal(code, 0);
    assert.ok(!`${stdout}${stderr}`.includes(secret));
  }
  assert.deepEqual(await filesLeft(home), []);
});

test('a client that is refused is told to the host, and asked for once, not for each request', async () => {
  const { sandbox, home, tokens } = await job(300, 'another-secret-that-is-not-the-clients');
  await using _sandbox = sandbox;
  await using _home = home;
  await using host = startBridge(home, sandbox.serverUrl, ...own);
  const refused = async (id: number) => {
    const { error } = await host.ask({ id, ...whoami });
    assert.match(JSON.stringify(error), /client/);
  };
  await refused(1);
  const once = tokens();
  await refused(2);
  await refused(3);
  assert.equal(tokens(), once);
  host.program.stdin.end();
  assert.notEqual((await host.program.finished).code, 0);
});

test('a proxy does the same for each of its servers', async () => {
  const { sandbox, home } = await job(300);
  await using _sandbox = sandbox;
  await using _home = home;
  await using proxy = startProgram(home, ['proxy', sandbox.serverUrl, ...own]);
  const [url] = await proxy.waitForStdout(/http:\S+/);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(url, { method: 'POST', headers, body });
  assert.equal(response.status, 200, await response.text());
  proxy.kill('SIGTERM');
  assert.equal((await proxy.finished).code, 0);
  assert.deepEqual(await filesLeft(home), []);
});

test('options of such a login that make no whole are refused before anything is started', async () => {
  await using home = await makeHome();
  for (const command of ['bridge', 'proxy']) {
    const url = 'http://127.0.0.1:9/mcp';
    await using other = startProgram(home, [command, url, '--client-id', 'ci']);
    assert.match((await other.finished).stderr, /goes with --client-credentials/);
  }
});
