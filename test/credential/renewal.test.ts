import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { openStage } from '../e2e/stage.js';
import { isTaken, itemOf, letExpire, logIn, recordOf, refreshAsked, refreshTokensSent } from '../endurance/expiry.js';
import { needs } from '../support/needs.js';
import { programCommand, runProgram } from '../support/program.js';

const skip = needs('gnome-keyring', 'secret-tool');
/** This machine may have a lot to do; the limit has a test of its own. */
const patient = ['--timeout', '60'];
const headers = /^\{"Authorization":"Bearer ([^"]+)"\}\n$/;

test('[A-134] 20 helpers started at once at the moment of expiry: one refresh, one new token for all of them', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  const old = await letExpire(stage, key, 0);
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      runProgram(stage.home, ['credential', 'headers', stage.sandbox.serverUrl, ...patient]),
    ),
  );
  const tokens = all.map(({ code, stdout, stderr }) => {
    assert.deepEqual([code, stderr], [0, '']);
    return headers.exec(stdout)?.[1] ?? '';
  });
  assert.deepEqual(refreshTokensSent(stage), [old.refreshToken]);
  assert.equal(new Set(tokens).size, 1);
  assert.notEqual(tokens[0], old.accessToken);
  assert.ok(await isTaken(stage, tokens[0] ?? ''));
});

test('[A-136][A-181] SIGKILL of the helper and its whole group while a refresh runs: what the server rotated is kept', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  const old = await letExpire(stage, key, 0);
  stage.sandbox.setFaults(['refresh-late']);
  const [command, ...args] = programCommand(['credential', 'headers', stage.sandbox.serverUrl]);
  // As Codex CLI does it: a process group of its own, which is killed when time is up.
  const helper = spawn(command, args, { env: stage.home.env, stdio: 'ignore', detached: true });
  await refreshAsked(stage, 0);
  process.kill(-(helper.pid ?? 0), 'SIGKILL');
  await once(helper, 'close');
  assert.equal((await itemOf(stage, key)).refreshToken, old.refreshToken, 'nothing has been written yet');
  stage.sandbox.setFaults([]);
  const { code, stdout, stderr } = await runProgram(stage.home, ['token', stage.sandbox.serverUrl]);
  assert.equal(code, 0, stderr);
  assert.ok(await isTaken(stage, stdout.trim()));
  assert.deepEqual(refreshTokensSent(stage), [old.refreshToken], 'the old refresh token was used once');
  assert.equal((await itemOf(stage, key)).accessToken, stdout.trim());
});

test('[A-142] an authorization server that does not answer: nothing within 8 s, remembered, and nothing is lost', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  await letExpire(stage, key, 0);
  stage.sandbox.setFaults(['refresh-slow']);
  const since = performance.now();
  const { code, stdout, stderr } = await stage.run('credential', 'headers', stage.sandbox.serverUrl);
  assert.ok(performance.now() - since < 10_000, 'callers wait 10 s and no longer');
  assert.deepEqual([code, stdout], [6, '']);
  assert.match(stderr, /^postern: [^\n]+ \[deadline_passed, exit 6\]\n$/);
  const { origin } = new URL(stage.sandbox.serverUrl);
  const status = JSON.parse((await stage.run('status', '--json')).stdout);
  const [{ at, ...failure }] = status.failures;
  assert.deepEqual(failure, { format: 'headers', origin, code: 'deadline_passed' });
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  stage.sandbox.setFaults([]);
  assert.equal((await stage.run('credential', 'headers', stage.sandbox.serverUrl, ...patient)).code, 0);
  assert.deepEqual(JSON.parse((await stage.run('status', '--json')).stdout).failures, [], 'a success clears it');
});

test('[A-142] while the token still lives, a refresh that fails for now keeps nobody from it', { skip }, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  const { accessToken } = await letExpire(stage, key, 20_000);
  stage.sandbox.setFaults(['refresh-500']);
  for (const words of [['headers'], ['headers', '--min-ttl', '100']]) {
    const { code, stdout } = await stage.run('credential', ...words, stage.sandbox.serverUrl, ...patient);
    assert.deepEqual([code, headers.exec(stdout)?.[1]], [0, accessToken]);
  }
});

test('a login that is over says so each time, until it is made anew', { skip }, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  await letExpire(stage, key, 0);
  stage.sandbox.setFaults(['refresh-invalid-grant']);
  for (const format of ['headers', 'token']) {
    const { code, stdout, stderr } = await stage.run('credential', format, stage.sandbox.serverUrl, ...patient);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /Run: postern login localhost \[login_expired, exit 3\]\n$/);
  }
  const { stdout } = await stage.run('status');
  assert.match(stdout, /Last failure: credential headers for http:\/\/127\.0\.0\.1:\d+ .+: login expired\n/);
  assert.match(stdout, /Last failure: credential token for /);
  assert.match(stdout, /\nTo see why: postern setup --check/);
  stage.sandbox.setFaults([]);
  await logIn(stage);
  assert.doesNotMatch((await stage.run('status')).stdout, /Last failure/);
  assert.equal((await stage.run('credential', 'headers', stage.sandbox.serverUrl, ...patient)).code, 0);
  assert.equal(recordOf(stage).dead, undefined);
});

test('a logout forgets what was asked in vain, too', { skip }, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  await letExpire(stage, key, 0);
  stage.sandbox.setFaults(['refresh-invalid-grant']);
  assert.equal((await stage.run('credential', 'curl', stage.sandbox.serverUrl, ...patient)).code, 3);
  assert.equal((await stage.run('logout', stage.sandbox.serverUrl)).code, 0);
  assert.deepEqual(JSON.parse((await stage.run('status', '--json')).stdout).failures, []);
});
