import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { authorizationUrlOf } from '../support/at-stage.js';
import { makeHomeWithKey } from '../support/home.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { programCommand, runProgram, startProgram } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

async function logIn(stage: Stage): Promise<void> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--name', 'r2', '--no-browser');
  await walkLogin(await authorizationUrlOf(login));
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
}

test('logout says what goes on working: access tokens that were handed out, until they expire', { skip }, async () => {
  await using stage = await openStage();
  await logIn(stage);
  const token = await stage.token('r2');
  const out = await stage.run('logout', 'r2');
  assert.match(out.stdout, /^Logged out of r2\. It cannot be refreshed any more; an access token .* may work for \d/);
  const used = await fetch(stage.sandbox.serverUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  assert.notEqual(used.status, 401, 'as it said');

  await logIn(stage);
  stage.sandbox.setFaults(['revocation-500']);
  const failed = await stage.run('logout', 'r2');
  assert.match(
    failed.stdout,
    /^Logged out of r2\. Its token was not revoked: .* 500 "oops"\. Its refresh token stays valid there\. Its access token stays valid for \d/,
  );
});

test('who logs out of what is not there, or twice, is not told to log in', async () => {
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  await using sandbox = startProgram(home, ['sandbox', '--approve']);
  const [server = ''] = await sandbox.waitForStdout(/^http\S+$/m);
  const run = (...words: readonly string[]) => runProgram(home, words);
  const nothing = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await run('logout', ...words);
    assert.deepEqual([code, stdout], [3, '']);
    assert.doesNotMatch(stderr, /postern login /);
    return stderr;
  };
  for (const word of ['work', server]) assert.match(await nothing(word), /no logins are left\./);
  for (const name of ['work', 'other']) {
    const login = await run('login', server, '--device', '--name', name, '--account', name);
    assert.equal(login.code, 0, login.stderr);
  }
  assert.equal((await run('logout', 'work')).code, 0);
  assert.match(await nothing('work'), /No login named "work"\.\s+You have: other\./);
  assert.match(await nothing('https://example.com/mcp'), /nothing to log out of\. All logins: postern status/);
  assert.match(await nothing(server, '--account', 'wrk'), /Accounts: "other"\.\s+There is nothing to log out of\./);
});

test('[A-152] a logout that is killed while it revokes has forgotten the login, and the next logout revokes it', async () => {
  await using stage = await openStage();
  await logIn(stage);
  const { sandbox } = stage;
  sandbox.setFaults(['revocation-slow']);
  {
    await using killed = stage.start('logout', 'r2');
    while (!sandbox.requests.some(({ path }) => path.includes('revoke'))) await wait(5);
    killed.kill('SIGKILL');
    await killed.finished;
  }
  sandbox.setFaults([]);
  assert.match((await stage.run('status')).stdout, /^(?!.*r2)/s);
  const before = sandbox.stats.revocations;
  assert.equal((await stage.run('logout', 'r2')).code, 3, 'there is no such login');
  assert.equal(sandbox.stats.revocations, before + 1);
  const { stdout } = await stage.run('logout', '--all', '--yes');
  assert.equal(sandbox.stats.revocations, before + 1, `once: ${stdout}`);
});

test('what a login and a logout brought is green at a terminal, and plain in a pipe', {
  skip: needs('script'),
}, async () => {
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  await using sandbox = startProgram(home, ['sandbox', '--approve']);
  const [server = ''] = await sandbox.waitForStdout(/^http\S+$/m);
  const atTerminal = async (...words: readonly string[]) => {
    await using run = await startAtTerminal(home, programCommand(words), { stdout: 'terminal', columns: 80 });
    return (await run.screen.finished).stdout;
  };
  const words = ['login', server, '--device', '--name', 'work'];
  const green = (text: string) => new RegExp(`\u001b\\[38;5;28m${text}\u001b\\[39m`);
  assert.match(await atTerminal(...words), green('Logged in\\.'));
  assert.match(await atTerminal('logout', 'work'), green('Logged out of work\\.'));
  assert.match((await runProgram(home, words)).stdout, /^Logged in\.$/m);
  assert.match((await runProgram(home, ['logout', 'work'])).stdout, /^Logged out of work\. /);
});
