import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { terminalHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';
import { openStage, type Stage } from '../support/stage-here.js';

/** The listener is gone, and nothing of the login is left in the keychain or on disk. */
async function nothingIsLeft(stage: Stage, url: string): Promise<void> {
  const { state = '', redirect_uri = '' } = Object.fromEntries(new URL(url).searchParams);
  await assert.rejects(fetch(redirect_uri), 'the callback listener is closed');
  assert.deepEqual(await stage.items(), []);
  const leaks = await findSecrets({ state }, { folders: [stage.home.path], texts: {} });
  assert.deepEqual(leaks, []);
  const status = await stage.run('status', '--json');
  assert.doesNotMatch(status.stdout, /127\.0\.0\.1/);
}

test('Ctrl-C in the middle of a login ends it at once and leaves nothing behind [A-111]', async () => {
  await using stage = await openStage();
  await using login = await stage.atTerminal('login', stage.sandbox.serverUrl, '--no-browser');
  const url = await authorizationUrlOf(login.screen);
  login.type('\x03');
  assert.equal((await login.screen.finished).code, 130);
  await nothingIsLeft(stage, url);
});

test('SIGTERM in the middle of a login ends it at once and leaves nothing behind [A-111]', async () => {
  await using stage = await openStage();
  await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser');
  const url = await authorizationUrlOf(login);
  login.kill('SIGTERM');
  const { code, signal } = await login.finished;
  assert.ok(code === 143 || code === 130 || signal === 'SIGTERM', `code ${code}, signal ${signal}`);
  await nothingIsLeft(stage, url);
});

test('a login that nobody answers ends after --timeout with its own code [R-8.1] [A-111]', async () => {
  await using stage = await openStage();
  await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser', '--timeout', '10');
  const url = await authorizationUrlOf(login);
  stage.advance(10_000);
  const { code, stderr } = await login.finished;
  assert.equal(code, 6, stderr);
  assert.match(stderr, /login_timed_out/);
  await nothingIsLeft(stage, url);
});

test('a login goes on at a terminal that says it has no columns', async () => {
  await using stage = await openStage();
  const command = ['login', stage.sandbox.serverUrl];
  await using login = terminalHere(stage.home, command, { own: stage.own, stdout: 'terminal', columns: 0 });
  await walkLogin(await stage.browser.opened());
  assert.equal((await login.screen.finished).code, 0);
  assert.ok(login.screen.stdout.length < 10_000, 'nothing is written over and over');
});
