import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { movableClock } from '../support/movable-clock.js';
import type { SandboxOptions } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';
import { bridgeOn, scriptedServer, startBridge, usualOfBoth } from './host.js';
import { meta, metaIn, sendJson } from './translation/newer-only.js';

const secret = 'kept-from-argv-and-from-disk-0123456789';
const own = ['--client-credentials'];
const whoami = { method: 'tools/call', params: { name: 'whoami', arguments: {} } };

/** A CI job: no keychain, no terminal, a client's secret in a file. */
async function job(accessTokenSeconds: number, given = secret, more: SandboxOptions = {}) {
  const clients = [{ client_id: 'ci', client_secret: secret, redirect_uris: [] }];
  const sandbox = await startSandbox({ clients, accessTokenSeconds, ...more });
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
  const { sandbox, home, tokens } = await job(300);
  await using _sandbox = sandbox;
  await using _home = home;
  {
    const clock = movableClock();
    await using host = bridgeOn({ home, own: { clock } }, sandbox.serverUrl, ...own);
    assert.ok((await host.open()).result !== undefined, host.program.stderr);
    assert.match(JSON.stringify(await host.ask({ id: 2, ...whoami })), /"ci /);
    const before = tokens();
    clock.advance(300_000);
    assert.match(JSON.stringify(await host.ask({ id: 3, ...whoami })), /"ci /);
    assert.ok(tokens() > before, 'a token that ran out is renewed');
    host.program.stdin.end();
    const { code, stderr, stdout } = await host.program.finished;
    assert.equal(code, 0);
    assert.ok(!`${stdout}${stderr}`.includes(secret));
  }
  assert.deepEqual(await filesLeft(home), []);
});

test('a call and a bridge as the client itself declare that to the server, in each era', async () => {
  let issuer = '';
  await using server = await scriptedServer((seen, response) => {
    if (seen.method === 'GET') return sendJson(response, { resource: server.url, authorization_servers: [issuer] });
    if (seen.headers.authorization !== undefined) return usualOfBoth(seen, response);
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${server.origin}/metadata"` }).end();
  });
  const { sandbox, home } = await job(300, secret, { otherResources: [server.url] });
  await using _sandbox = sandbox;
  await using _home = home;
  issuer = sandbox.issuer;
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const run = await runHere(home, ['call', server.url, 'x/y', '--protocol', revision, ...own]);
    assert.equal(run.code, 0, run.stderr);
  }
  await using host = startBridge(home, server.url, ...own);
  await host.ask({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { roots: {} } },
  });
  await host.ask({ id: 2, method: 'x/y', params: { _meta: meta({ roots: {}, extensions: { 'a/b': {} } }) } });
  const client = { 'io.modelcontextprotocol/oauth-client-credentials': {} };
  const capabilities = server.seen.flatMap(({ message, headers }) => {
    const said = message.params?.['capabilities'] ?? metaIn({ message })['io.modelcontextprotocol/clientCapabilities'];
    return said === undefined || headers.authorization === undefined ? [] : [said];
  });
  assert.deepEqual(capabilities, [
    { extensions: client },
    { extensions: { ...client, 'io.modelcontextprotocol/tasks': {} } }, // tools/list: x/y may be a tool
    { extensions: { ...client, 'io.modelcontextprotocol/tasks': {} } },
    { roots: {}, extensions: client },
    { roots: {}, extensions: { 'a/b': {}, ...client } },
  ]);
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
  await using proxy = startHere(home, ['proxy', sandbox.serverUrl, ...own]);
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
    await using other = startHere(home, [command, url, '--client-id', 'ci']);
    assert.match((await other.finished).stderr, /needs --client-credentials/);
  }
});
