import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startBuiltBridge } from '../bridge/built-bridge.js';
import { type ScriptedServer, scriptedServer, usual } from '../bridge/host.js';
import { type Home, makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { runProgram, startProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';

const skip = needs('gnome-keyring', 'secret-tool');
const expiresAt = Date.now() + 3_600_000;

/** What another program, or a hand, writes into the index. */
async function rewriteIndex(home: Home, change: (login: Record<string, unknown>) => void): Promise<void> {
  const path = `${home.path}/state/postern/logins.json`;
  const index = JSON.parse(await readFile(path, 'utf8'));
  for (const login of index.logins) change(login);
  await writeFile(path, JSON.stringify(index));
}

function honest(): Promise<ScriptedServer> {
  return scriptedServer((seen, response) => usual(seen, response));
}

const shown = (server: ScriptedServer) => server.seen.map(({ headers }) => headers.authorization ?? '');

test('[R-5.1a] an index whose server was changed sends a token nowhere: not by address, not by name, not by the short way', {
  skip,
}, async () => {
  await using own = await honest();
  await using evil = await honest();
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  await storeLogin(home, { server: own.url, name: 'work', accessToken: 'token-of-own', expiresAt });
  const ask = (...args: string[]) => runProgram({ ...home, env: { ...home.env } }, args);
  assert.equal((await ask('token', own.url)).stdout, 'token-of-own\n');
  await rewriteIndex(home, (login) => {
    login['server'] = evil.url;
  });
  for (const args of [
    ['token', 'work'],
    ['token', evil.url],
    ['credential', 'headers', 'work'],
    ['credential', 'headers', evil.url],
    ['credential', 'bazel', 'get'],
    ['exec', 'work', '--', process.execPath, '-e', 'console.log(process.env.POSTERN_ACCESS_TOKEN)'],
    ['request', evil.url],
    ['call', 'work', 'tools/list'],
    ['call', evil.url, 'tools/list'],
  ]) {
    const { code, stdout, stderr } = await ask(...args);
    assert.ok(!`${stdout}${stderr}`.includes('token-of-own'), args.join(' '));
    assert.notEqual(code, 0, args.join(' '));
  }
  await using host = startBuiltBridge(home, evil.url, '--non-interactive');
  const answer = await host.ask({ id: 1, method: 'tools/list' });
  assert.equal(answer.error?.data?.['code'], 'credential_corrupt', JSON.stringify(answer));
  await using proxy = startProgram(home, ['proxy', 'work', '--no-key']);
  const [, address] = await proxy.waitForStdout(/(http:\/\/127\.0\.0\.1:\d+\/\S+)/);
  assert.ok((await fetch(String(address), { method: 'POST', body: '{}' })).status >= 400);
  assert.deepEqual(
    shown(evil).filter((value) => value !== ''),
    [],
  );
  assert.deepEqual(shown(own), []);
});

test('[R-5.1a] two servers that differ in the query alone: each is sent its own token, by every command', {
  skip,
}, async () => {
  await using server = await honest();
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  const [alpha, beta] = [`${server.url}?project=alpha`, `${server.url}?project=beta`];
  await storeLogin(home, { server: alpha, name: 'alpha', accessToken: 'token-of-alpha', expiresAt });
  const ask = (...args: string[]) => runProgram(home, args);
  // There is no login for beta yet: nothing of alpha's stands in for it.
  for (const args of [
    ['token', beta],
    ['credential', 'headers', beta],
    ['request', beta],
    ['logout', beta],
    ['status', beta],
    ['token', server.url],
    ['logout', server.url],
  ]) {
    const { code, stdout, stderr } = await ask(...args);
    assert.deepEqual([code, stdout], [3, ''], args.join(' '));
    const [url = ''] = args.slice(-1);
    const next = `postern login ${url === beta ? `'${beta}'` : url}`;
    assert.ok(stderr.includes(args[0] === 'logout' ? 'There is nothing to log out of.' : next), stderr);
  }
  await storeLogin(home, { server: beta, accessToken: 'token-of-beta', expiresAt });
  for (const [url, token] of [
    [alpha, 'token-of-alpha'],
    [beta, 'token-of-beta'],
  ] as const) {
    assert.equal((await ask('token', url)).stdout, `${token}\n`);
    assert.equal((await ask('token', url, '--verbose')).stdout, `${token}\n`);
    assert.deepEqual(JSON.parse((await ask('credential', 'headers', url)).stdout), {
      Authorization: `Bearer ${token}`,
    });
    const said = { ...home, env: { ...home.env, CLAUDE_CODE_MCP_SERVER_URL: url } };
    assert.match((await runProgram(said, ['credential', 'headers'])).stdout, new RegExp(`Bearer ${token}"`));
    assert.equal((await ask('request', url)).code, 0);
    await using host = startBuiltBridge(home, url, '--non-interactive');
    await host.ask({ id: 1, method: 'tools/list' });
  }
  const other = { ...home, env: { ...home.env, CLAUDE_CODE_MCP_SERVER_URL: beta } };
  assert.equal((await runProgram(other, ['credential', 'headers', 'alpha'])).stdout, '');
  await using proxy = startProgram(home, ['proxy', alpha, beta, '--no-key']);
  const [whole] = await proxy.waitForStdout(/(?:http:\/\/127\.0\.0\.1:\d+\/\S+[\s\S]*){2}/);
  for (const [address] of whole.matchAll(/http:\/\/127\.0\.0\.1:\d+\/[^\s?]+/g)) {
    await fetch(address, { method: 'POST', body: '{}' });
    assert.ok((await fetch(`${address}?project=beta`)).status >= 400);
  }
  for (const { url, headers } of server.seen) {
    const project = /project=(alpha|beta)$/.exec(url)?.[1];
    assert.equal(headers.authorization, `Bearer token-of-${project}`, url);
  }
  assert.equal(new Set(server.seen.map(({ url }) => url)).size, 2);
  assert.equal((await ask('logout', beta, '--force')).code, 0);
  assert.equal((await ask('token', 'alpha')).stdout, 'token-of-alpha\n');
  assert.equal((await ask('token', beta)).code, 3);
});

test('[R-5.1a] logout ends the very login that is named, and none for an address above it', { skip }, async () => {
  await using server = await honest();
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  await storeLogin(home, { server: server.url, name: 'work', accessToken: 'token-of-work', expiresAt });
  for (const below of [`${server.url}?project=beta`, `${server.url}/below`]) {
    const { code, stdout, stderr } = await runProgram(home, ['logout', below, '--force']);
    assert.deepEqual([code, stdout], [3, ''], below);
    assert.match(stderr, /Did you mean "work"\?/);
  }
  assert.equal((await runProgram(home, ['token', 'work'])).stdout, 'token-of-work\n');
  assert.equal((await runProgram(home, ['logout', server.url, '--force'])).code, 0);
  assert.equal((await runProgram(home, ['token', 'work'])).code, 3);
});
