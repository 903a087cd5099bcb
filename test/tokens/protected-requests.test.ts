import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atServer, callTool, stepUp } from '../support/flows/calls.js';
import { loggedInOnce } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { openMachine } from '../support/machine.js';
import { startSandbox } from '../support/start-sandbox.js';

const loggedIn = loggedInOnce();

test('[R-4.1a][R-4.1b][R-1.2] every request of a session carries the token in its header and never in its URL', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  const before = atServer(scene).length;
  const result = await callTool(scene, login, 'whoami', {}, { protocol: '2025-11-25' });
  assert.match(JSON.stringify(result), /alice/);
  const requests = atServer(scene).slice(before);
  assert.deepEqual([...new Set(requests.map(({ method }) => method))].sort(), ['DELETE', 'POST']);
  for (const { headers, params } of requests) {
    assert.match(String(headers['authorization']), /^Bearer .+/);
    assert.ok(!params.some(([name]) => name === 'access_token'));
  }
});

test('[A-165] a 403 that is a page: a plain refusal, no login', async () => {
  await using scene = await loggedIn();
  scene.sandbox.setFaults(['server-403-html']);
  const relogin = stepUp(scene);
  const failure = await failureOf(callTool(scene, scene.held, 'echo', { text: 'x' }, { relogin }), 'http_failed');
  assert.deepEqual([failure.exit, relogin.count], [8, 0]);
});

test('[A-153] a redirect is not followed with the token', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  scene.sandbox.setFaults(['server-redirects-elsewhere']);
  const failure = await failureOf(callTool(scene, login, 'echo', { text: 'x' }), 'redirect_refused');
  assert.match(failure.message, /30\d/);
  assert.ok(atServer(scene).length > 0);
  assert.deepEqual(
    scene.sandbox.requests.filter(({ path }) => path.includes('stolen')),
    [],
  );
});

test('[A-160] a session identifier with forbidden characters ends the call', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  scene.sandbox.setFaults(['server-session-id']);
  await failureOf(callTool(scene, login, 'echo', { text: 'x' }, { protocol: '2025-11-25' }), 'protocol_broken');
});

test('[R-5.1a][A-157] request, token and credential give the token to its server and below, and to no other address', async () => {
  await using sandbox = await startSandbox();
  await using machine = await openMachine();
  const { serverUrl } = sandbox;
  assert.equal((await machine.run(['login', serverUrl])).code, 0);
  const token = (await machine.run(['token', serverUrl])).stdout.trim();
  const bazel = async (uri: string) => await machine.run(['credential', 'bazel', 'get'], JSON.stringify({ uri }));
  const git = async (url: string) => {
    const { protocol, host } = new URL(url);
    const path = url.slice(`${protocol}//${host}/`.length);
    const input = `protocol=${protocol.slice(0, -1)}\nhost=${host}\npath=${path}\n`;
    return await machine.run(['credential', 'git', 'get'], `${input}\n`);
  };
  const below = `${serverUrl}/below`;
  for (const { stdout, stderr } of [await bazel(below), await git(below)]) assert.ok(stdout.includes(token), stderr);
  const { origin, port } = new URL(serverUrl);
  const before = sandbox.stats.serverRequests;
  for (const url of [
    `${origin}/`,
    `${origin}/mcp-evil`,
    `${origin}/mcp/../admin`,
    `${origin}/mcp%2f..%2fadmin`,
    `${origin}/mcp/%252e%252e/admin`,
    `${origin}/mcp/..%252fadmin`,
    `http://localhost:${port}/mcp`,
    `http://127.0.0.2:${port}/mcp`,
    `https://127.0.0.1:${port}/mcp`,
    `http://user@127.0.0.1:${port}/mcp`,
  ]) {
    const tried = [
      await machine.run(['request', url]),
      await machine.run(['token', url]),
      await machine.run(['credential', 'headers', url]),
      await bazel(url),
      await git(url),
    ];
    for (const { stdout, stderr } of tried) assert.ok(!`${stdout}${stderr}`.includes(token), url);
    assert.notEqual(tried[0]?.code, 0, url);
  }
  assert.equal(sandbox.stats.serverRequests, before, 'nothing was sent');
  await machine.run(['request', below]);
  const { headers } = sandbox.requests.at(-1) ?? assert.fail('nothing was asked');
  assert.equal(headers['authorization'], `Bearer ${token}`);
});
