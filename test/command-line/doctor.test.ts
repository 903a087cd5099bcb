import assert from 'node:assert/strict';
import { chmod, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Home, makeHomeWithKey } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { assertMode } from '../support/modes.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';

/** A home whose logins are in sealed files. */
async function sealedHome(): Promise<Home> {
  const home = await makeHomeWithKey();
  return { ...home, env: { ...home.env, POSTERN_STORE: 'file' } };
}

test('doctor at a sick server names the first cause in every form, and its exit code is what --fail-on says', async () => {
  await using sandbox = await startSandbox();
  await using home = await sealedHome();
  sandbox.setFaults(['prm-wrong-resource']);
  await writeFile(join(home.path, 'report.xml'), 'of before', { mode: 0o644 });
  const words = ['doctor', sandbox.serverUrl];
  const run = (...more: string[]) => runHere(home, [...words, ...more]);
  const at = (name: string) => join(home.path, name);
  const sick = await run('--junit', at('report.xml'), '--bundle', at('bundle.json'));
  assert.equal(sick.code, 5, sick.stderr);
  assert.match(
    sick.stdout,
    /^A login fails: the server’s metadata is for another address\.\n {2}seen .*\n(?: .*\n)* {2}to act {2}the server’s operator\n/,
  );
  assert.match(sick.stdout, / 4–5 +SKIP {2}follows from step 3/);
  const read = (name: string) => readFile(at(name), 'utf8');
  assert.match(await read('report.xml'), /<failure type="resource-mismatch"/);
  assert.equal(JSON.parse(await read('bundle.json')).report.firstCause.id, 'resource-mismatch');
  assert.equal((await run('--fail-on', 'never')).code, 0);
  for (const name of ['report.xml', 'bundle.json']) {
    const path = join(home.path, name);
    assertMode((await stat(path)).mode, 0o600);
    await rename(path, `${path}.old`);
    await symlink(`${path}.old`, path);
    await chmod(`${path}.old`, 0o644);
    const before = await readFile(path);
    const linked = await run(name === 'report.xml' ? '--junit' : '--bundle', path);
    assert.equal(linked.code, 2, linked.stderr);
    assert.match(linked.stderr, /could not be written \(it is a link/);
    assert.deepEqual(await readFile(path), before, 'nothing is written through a link');
  }
  const { code, stdout } = await run('--json', '--field', 'firstCause.who');
  assert.deepEqual([code, stdout], [5, 'server\n']);
});

test('a login that fails by the server names the command that finds out why', async () => {
  await using sandbox = await startSandbox();
  await using home = await sealedHome();
  sandbox.setFaults(['as-no-pkce']);
  const login = await runHere(home, ['login', sandbox.serverUrl, '--no-browser']);
  assert.equal(login.code, 5);
  const [, command = ''] = /To find out why: (postern doctor \S+)/.exec(login.stderr.replaceAll(/\s+/g, ' ')) ?? [];
  const { stdout } = await runHere(home, command.split(' ').slice(1));
  assert.match(stdout, /to act {2}the authorization server’s operator/);
});

test('doctor at a warning, at a server that is not there, at a wrong word', async () => {
  await using sandbox = await startSandbox();
  await using home = await sealedHome();
  sandbox.setFaults(['challenge-none']);
  const run = (...words: string[]) => runHere(home, ['doctor', ...words]);
  assert.deepEqual(
    [(await run(sandbox.serverUrl)).code, (await run(sandbox.serverUrl, '--fail-on', 'warning')).code],
    [0, 5],
  );
  const { serverUrl } = sandbox;
  await sandbox.close();
  const gone = await run(serverUrl);
  assert.equal(gone.code, 6);
  assert.match(gone.stdout, /ECONNREFUSED/);
  const unknown = await run('--explain', 'resource-mismatsch');
  assert.deepEqual([unknown.code, /--explain resource-mismatch\?/.test(unknown.stderr)], [2, true]);
  assert.equal((await run('--explain', 'list')).code, 0);
});

test('doctor at a name that no login has any more names those there are; so it does for an account', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await sealedHome();
  const run = (...words: string[]) => runHere(home, words);
  assert.equal((await run('login', sandbox.serverUrl, '--device', '--name', 'work')).code, 0);
  assert.equal((await run('rename', 'work', 'office')).code, 0);
  const renamed = await run('doctor', 'work');
  assert.equal(renamed.code, 3, renamed.stderr);
  assert.match(renamed.stderr, /No login named "work"[\s\S]*office/);
  const account = await run('doctor', sandbox.serverUrl, '--account', 'bob');
  assert.equal(account.code, 3, account.stderr);
  assert.match(account.stderr, /"bob"/);
  assert.equal((await run('doctor', 'office')).code, 0);
});

test('doctor alone looks at this machine; --from says what a program would get by its entry', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await sealedHome();
  const login = await runHere(home, ['login', sandbox.serverUrl, '--device']);
  assert.equal(login.code, 0, login.stderr);
  const alone = await runHere(home, ['doctor', '--json']);
  assert.equal(alone.code, 0, alone.stdout);
  const { findings } = JSON.parse(alone.stdout) as { findings: { stepName: string; level: string }[] };
  assert.equal(findings.find(({ stepName }) => stepName === 'store')?.level, 'pass');
  await runHere(home, ['setup', 'cursor', sandbox.serverUrl, '--write']);
  const fine = await runHere(home, ['doctor', '--from', 'cursor']);
  assert.equal(fine.code, 0, fine.stdout);
  await sandbox.close();
  const lost = await runHere(home, ['doctor', '--from', 'cursor']);
  assert.notEqual(lost.code, 0);
  assert.match(lost.stdout, /a program that is set up would not get what it needs/);
});

/** Every secret that was sent to one of the two servers. */
function secretsSent({ requests }: Sandbox): readonly string[] {
  const secret = /^(?:code|code_verifier|refresh_token|token|device_code)$/;
  return requests.flatMap(({ headers, params }) => [
    ...params.flatMap(([name, value]) => (secret.test(name) ? [value] : [])),
    String(headers['authorization'] ?? '').replace(/^Bearer /, ''),
  ]);
}

test('doctor at a named login uses its stored token, and tells that it is dead; at an address it sends none', async () => {
  await using home = await sealedHome();
  const run = (...words: string[]) => runHere(home, words);
  const first = await startSandbox({ approve: true });
  const { serverUrl, issuer } = first;
  assert.equal((await run('login', serverUrl, '--device', '--name', 'work')).code, 0);
  const alive = await run('doctor', 'work');
  assert.equal(alive.code, 0, alive.stdout);
  assert.match(alive.stdout, /^No problems found with \S+; 4 of 13 steps need --login\.\n/);
  assert.match(alive.stdout, /^13 {2}The protocol +PASS {2}a session opened with the stored token of work\n/m);
  const token = (await run('token', 'work')).stdout.trim();
  await first.close();
  const port = (url: string) => Number(new URL(url).port);
  await using sandbox = await startSandbox({ port: port(serverUrl), authorizationPort: port(issuer) });
  const address = await run('doctor', serverUrl);
  assert.equal(address.code, 0, address.stdout);
  assert.match(address.stdout, /^No problems found with \S+; 5 of 13 steps need --login\.\n/);
  assert.ok(token.length > 24 && !secretsSent(sandbox).includes(token));
  assert.ok(sandbox.requests.every(({ path }) => path !== '/token'));
  const dead = await run('doctor', 'work');
  assert.equal(dead.code, 3, dead.stdout);
  assert.match(dead.stdout, /^A login fails: the stored login no longer works\.\n[\s\S]+postern login work/);
});

test('doctor --login: no form of the report, and no request that is shown, holds a secret of the login', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await sealedHome();
  const at = (name: string) => join(home.path, name);
  const forms = ['--junit', at('report.xml'), '--bundle', at('bundle.json')];
  const words = ['doctor', sandbox.serverUrl, '--login', '--device', '-v', ...forms];
  const { code, stdout, stderr } = await runHere(home, words);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /PASS {2}into memory/);
  const written = ['report.xml', 'bundle.json'].map((name) => readFile(join(home.path, name), 'utf8'));
  const shown = [stdout, stderr, ...(await Promise.all(written))].join('\n');
  // What was made up here is none, and what is in the documentation neither.
  const secrets = secretsSent(sandbox).filter((one) => one.length > 24 && !one.startsWith('postern-doctor'));
  assert.ok(secrets.length > 5);
  assert.deepEqual(
    secrets.filter((one) => shown.includes(one)),
    [],
  );
});

test('doctor --login: Ctrl-C in the middle of it revokes what was issued', async () => {
  await using sandbox = await startSandbox({ approve: true, faults: ['refresh-slow'] });
  await using home = await sealedHome();
  await using running = startHere(home, ['doctor', sandbox.serverUrl, '--login', '--device']);
  const asked = (path: string, grant?: string) =>
    sandbox.requests.some((one) => one.path === path && (grant === undefined || one.body.includes(grant)));
  while (!asked('/token', 'grant_type=refresh_token')) await sleep(20);
  running.kill('SIGINT');
  const { code, stderr } = await running.finished;
  assert.equal(code, 130, stderr);
  assert.ok(asked('/revoke', 'token_type_hint=refresh_token'));
  assert.match(stderr, /Still registered there: the client /);
});

test('doctor: what says how to log in needs --login, and that a server', async () => {
  await using home = await sealedHome();
  for (const words of [['https://example.com/mcp', '--device'], ['--login']]) {
    const { code, stderr } = await runHere(home, ['doctor', ...words]);
    assert.equal(code, 2, stderr);
  }
});
