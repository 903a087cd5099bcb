import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBuiltBridge } from '../bridge/built-bridge.js';
import { openStage } from '../e2e/stage.js';
import { logIn } from '../endurance/expiry.js';
import { freePort } from '../support/free-port.js';
import { type Home, makeHome } from '../support/home.js';
import { needs, needsPackages } from '../support/needs.js';
import { type Running, runProgram, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';

const packages = join(repositoryRoot, 'test', 'clients', 'node_modules');
const isMissing = needsPackages('clients');

const everything = join(packages, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
const remote = join(packages, 'mcp-remote', 'dist', 'proxy.js');

/** What a call prints, which has to succeed. */
async function call(home: Home, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(home, ['call', ...args]);
  assert.equal(code, 0, stderr);
  return stdout;
}

test('the official server that has everything, of the older era: by call and by bridge, over HTTP and as a program', {
  skip: isMissing,
}, async () => {
  await using home = await makeHome();
  const port = await freePort();
  const own = { ...home, env: { ...home.env, PORT: String(port) } };
  await using server: Running = startCommand(process.execPath, [everything, 'streamableHttp'], own);
  await server.waitForStderr(/listening on port/);
  const url = `http://127.0.0.1:${port}/mcp`;
  assert.match(await call(home, url), /^echo message:string/m);
  assert.equal((await call(home, url, 'echo', 'message=hello')).trim(), 'Echo: hello');
  assert.match(await call(home, url, 'trigger-long-running-operation', 'duration=0.2', 'steps=2'), /completed/);
  assert.match(await call(home, url, 'resources/list', '--json'), /"resources"/);
  assert.match(await call(home, 'echo', 'message=hello', '--', process.execPath, everything, 'stdio'), /Echo: hello/);
  await using host = startBuiltBridge(home, url);
  assert.ok((await host.open()).result !== undefined);
  host.send({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } });
  for (let message = await host.next(); ; message = await host.next()) {
    if (message.id !== 1) continue; // what it tells by itself
    assert.match(JSON.stringify(message.result), /Echo: hello/);
    return;
  }
});

test('mcp-remote on the other side: a program to postern, which reaches the server through postern proxy', {
  skip: isMissing || needs('gnome-keyring', 'secret-tool'),
}, async () => {
  await using stage = await openStage();
  await logIn(stage);
  await using proxy: Running = stage.start('proxy', stage.sandbox.serverUrl, '--non-interactive');
  const [url] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
  const program = ['--', process.execPath, remote, url, '--allow-http', '--transport', 'http-only'];
  assert.match(await call(stage.home, 'whoami', ...program), /alice/);
  assert.match(await call(stage.home, 'echo', 'text=hello', ...program), /hello/);
});
