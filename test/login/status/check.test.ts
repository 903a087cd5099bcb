import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../../e2e/stage.js';
import { freePort } from '../../support/free-port.js';
import { type Home, makeHomeWithKey } from '../../support/home.js';
import { walkLogin } from '../../support/product.js';
import { runProgram, startProgram } from '../../support/program.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { homeWith } from './home-with.js';

async function logIn(home: Home, ...args: string[]): Promise<void> {
  await using program = startProgram(home, ['login', '--no-browser', '--store', 'file', ...args]);
  await walkLogin(await authorizationUrlOf(program));
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
}

test('status --check asks each server live, with milliseconds, how many tools and who it says it is; 6 where one is not reached', async () => {
  await using home = await makeHomeWithKey();
  await using sandbox = await startSandbox();
  await using other = await startSandbox();
  await logIn(home, sandbox.serverUrl, '--name', 'one');
  await logIn(home, other.serverUrl, '--name', 'two');
  const fine = await runProgram(home, ['status', '--check']);
  assert.equal(fine.code, 0, fine.stderr);
  assert.match(
    fine.stdout,
    /^one +✓ ok, \d+ ms, 11 tools +http\S+ +server says: alice\ntwo +✓ ok, \d+ ms, 11 tools +http\S+ +server says: alice\n$/,
  );
  await other.close();
  const cut = await runProgram(home, ['status', '--check', '--json']);
  assert.equal(cut.code, 6, cut.stderr);
  const checks = JSON.parse(cut.stdout).logins.map(({ check }: { check: { state: string } }) => check);
  assert.deepEqual(
    [checks[0].state, checks[0].serverSays, checks[0].tools, checks[0].failure],
    ['ok', 'alice', 11, null],
  );
  assert.deepEqual([checks[1].state, checks[1].milliseconds, checks[1].serverSays], ['unreachable', null, null]);
  assert.match(checks[1].failure.message, /refuses connections/);
  const said = await runProgram(home, ['status', 'two', '--check']);
  assert.match(said.stdout, /^two +✗ unreachable .*\n\ntwo: .*refuses connections.*\n$/);
  assert.equal(
    JSON.parse((await runProgram(home, ['status', '--json'])).stdout).logins[0].check,
    null,
    'asked only then',
  );
});

test('status --check refreshes, asks no person, and ends with 3 where only one helps; -l tells why', async () => {
  await using home = await makeHomeWithKey();
  await using sandbox = await startSandbox({ accessTokenSeconds: 5 });
  await logIn(home, sandbox.serverUrl, '--name', 'one');
  await new Promise((resolve) => setTimeout(resolve, 5_100));
  const refreshed = await runProgram(home, ['status', 'one', '--check']);
  assert.equal(refreshed.code, 0, refreshed.stderr + refreshed.stdout);
  sandbox.setFaults(['refresh-invalid-grant']);
  await new Promise((resolve) => setTimeout(resolve, 5_100));
  const ended = await runProgram(home, ['status', 'one', '--check', '-l']);
  assert.equal(ended.code, 3, ended.stderr);
  assert.match(ended.stdout, /asked now +login needed: /);
  assert.match(ended.stdout, /to do +Run: postern login one\n/);
  assert.match(ended.stdout, /refused its refresh token \(invalid_grant\)/);
  const named = await runProgram(home, ['status', 'one']);
  assert.deepEqual(
    [named.code, /✗ refused .*\n\nTo log in again:\n {2}postern login one\n$/.test(named.stdout)],
    [3, true],
    named.stdout,
  );
  assert.equal((await runProgram(home, ['status'])).code, 0, 'nobody asked for that one');
});

test('whoami tells the identity of the ID token, and with --check what the server says', async () => {
  await using sandbox = await startSandbox();
  await using home = await makeHomeWithKey();
  await logIn(home, sandbox.serverUrl, '--name', 'one');
  const plain = await runProgram(home, ['whoami', 'one']);
  assert.match(plain.stdout, /^unknown\n/);
  assert.match(plain.stderr, /postern whoami one --check/);
  const asked = await runProgram(home, ['whoami', 'one', '--check']);
  assert.match(asked.stdout, /^the server says alice\n/);
  const person = { sub: 'u-1', name: 'ada', email: 'ada@b.example' };
  await using at = await homeWith(
    { name: 'work', identity: 'ada@b.example', person },
    { name: 'old', server: 'https://old.example/mcp', identity: 'bob' },
  );
  assert.equal((await at.run('whoami')).stdout, 'work  ada@b.example\nold   bob\n');
  const { logins } = JSON.parse((await at.run('whoami', 'work', '--json')).stdout);
  const { identity, subject, personName, email, check } = logins[0];
  assert.deepEqual(
    [identity, subject, personName, email, check],
    ['ada@b.example', 'u-1', 'ada', 'ada@b.example', null],
  );
});

test('servers are asked at the same time: many that are away cost no more than one', async () => {
  const port = await freePort();
  const away = Array.from({ length: 12 }, (_, at) => ({
    name: `n${at}`,
    server: `http://127.0.0.1:${port}/${at}`,
    zone: 'loopback',
    dead: at === 0,
  }));
  await using at = await homeWith(...away);
  const { code, stdout } = await at.run('status', '--check', '--json');
  assert.equal(code, 3, 'none has a secret in its store');
  assert.equal(JSON.parse(stdout).logins.length, 12);
});
