import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFaults } from '../../src/sandbox/faults/table.js';
import { makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { runHere, startHere } from '../support/in-process.js';

test('the sandbox prints the address of its server and nothing else on stdout, and runs until it is told to end', async () => {
  await using home = await makeHome();
  await using sandbox = startHere(home, ['sandbox']);
  const [server] = await sandbox.waitForStdout(/^http\S+$/m);
  assert.equal((await fetch(server, { method: 'POST' })).status, 401);
  assert.ok(sandbox.stderr.includes(`postern login ${server}`));
  assert.match(sandbox.stderr, /not for production/);
  sandbox.kill('SIGINT');
  const { code, stdout } = await sandbox.finished;
  assert.deepEqual([code, stdout], [130, `${server}\n`]);
  await assert.rejects(fetch(server));
});

test('--json gives both addresses, and the options reach the servers', async () => {
  await using home = await makeHome();
  const words = ['--issuer-path', '/tenant1', '--no-registration', '--misbehave', 'as-pkce-plain', '--json'];
  await using sandbox = startHere(home, ['sandbox', ...words]);
  const { server, issuer } = JSON.parse((await sandbox.waitForStdout(/^\{.*\}$/m))[0]);
  assert.match(server, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const { origin, pathname } = new URL(issuer);
  assert.equal(pathname, '/tenant1');
  const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server/tenant1`)).json();
  assert.equal('registration_endpoint' in metadata, false);
  assert.deepEqual(metadata.code_challenge_methods_supported, ['plain']);
});

test('[A-298] --misbehave list shows each fault on lines of its own, in groups, as wide as is read, and starts nothing', async () => {
  await using home = await makeHome();
  const { code, stdout } = await runHere(home, ['sandbox', '--misbehave', 'list']);
  const lines = stdout.split('\n');
  assert.equal(code, 0);
  assert.ok(lines.every((line) => line.length <= 80));
  const text = stdout.replace(/\s+/g, ' ');
  for (const { name, what, group } of listFaults()) {
    assert.ok(lines.includes(group), group);
    assert.ok(text.includes(` ${name} ${what}`), name);
  }
});

test('a fault that does not exist, a port that is taken, and a path that is none, are wrong usage, with what to type', async () => {
  await using home = await makeHome();
  await using taken = await startHttp((_request, response) => response.end());
  for (const [words, says] of [
    [['--misbehave', 'as-no-pkec'], /as-no-pkce/],
    [['--port', `${taken.port}`], new RegExp(`${taken.port}[\\s\\S]*port_refused`)],
    [['--authorization-port', `${taken.port}`], new RegExp(`${taken.port}[\\s\\S]*port_refused`)],
    [['--issuer-path', 'tenant'], /usage_wrong/],
  ] as const) {
    const { code, stdout, stderr } = await runHere(home, ['sandbox', ...words]);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, says);
  }
});
