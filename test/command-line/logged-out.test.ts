import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTaken } from '../support/at-stage.js';
import { openStage } from '../support/stage-here.js';

test('logout says what goes on working: access tokens that were handed out, until they expire', async () => {
  await using stage = await openStage({ approve: true });
  const logIn = () => stage.run('login', stage.sandbox.serverUrl, '--device', '--name', 'r2');
  await logIn();
  const token = await stage.token('r2');
  const out = await stage.run('logout', 'r2');
  assert.match(out.stdout, /^Logged out of r2\. It cannot be refreshed any more; an access token .* may work for \d/);
  assert.equal(await isTaken(stage, token), true, 'as it said');

  await logIn();
  stage.sandbox.setFaults(['revocation-500']);
  const failed = await stage.run('logout', 'r2');
  assert.match(
    failed.stdout,
    /^Logged out of r2\. Its token was not revoked: .* 500 "oops"\. Its refresh token stays valid there\. Its access token stays valid for \d/,
  );
});

test('who logs out of what is not there, or twice, is not told to log in', async () => {
  await using stage = await openStage({ approve: true });
  const { serverUrl: server } = stage.sandbox;
  const nothing = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await stage.run('logout', ...words);
    assert.deepEqual([code, stdout], [3, '']);
    assert.doesNotMatch(stderr, /postern login /);
    return stderr;
  };
  for (const word of ['work', server]) assert.match(await nothing(word), /no logins are left\./);
  for (const name of ['work', 'other']) {
    const login = await stage.run('login', server, '--device', '--name', name, '--account', name);
    assert.equal(login.code, 0, login.stderr);
  }
  assert.equal((await stage.run('logout', 'work')).code, 0);
  assert.match(await nothing('work'), /No login named "work"\.\s+You have: other\./);
  assert.match(await nothing('https://example.com/mcp'), /nothing to log out of\. All logins: postern status/);
  assert.match(await nothing(server, '--account', 'wrk'), /Accounts: "other"\.\s+There is nothing to log out of\./);
});

test('what a login and a logout brought is green at a terminal, and plain in a pipe', async () => {
  await using stage = await openStage({ approve: true });
  const atTerminal = async (...words: string[]) => {
    await using run = await stage.atTerminal(...words);
    return (await run.screen.finished).stdout;
  };
  const words = ['login', stage.sandbox.serverUrl, '--device', '--name', 'work'];
  const green = (text: string) => new RegExp(`\u001b\\[(?:32|38;5;28)m${text}\u001b\\[39m`);
  assert.match(await atTerminal(...words), green('Logged in\\.'));
  assert.match(await atTerminal('logout', 'work'), green('Logged out of work\\.'));
  assert.match((await stage.run(...words)).stdout, /^Logged in\.$/m);
  assert.match((await stage.run('logout', 'work')).stdout, /^Logged out of work\. /);
});
