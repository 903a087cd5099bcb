import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';

const withEnv = (stage: Stage, variables: Readonly<Record<string, string>>) => ({
  ...stage.home,
  env: { ...stage.home.env, ...variables },
});

/** Starts a command without a terminal, and goes through the login that it opens. */
async function logsIn(stage: Stage, args: readonly string[], variables = {}): Promise<string> {
  await stage.browser.forget();
  await using program = startHere(withEnv(stage, variables), args, stage);
  await walkLogin(await stage.browser.opened());
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
  return stderr;
}

test('without a terminal login opens the browser, shows the address on stderr and waits; CI empty, 0 or false is no CI', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  const stderr = await logsIn(stage, ['login', serverUrl, '--name', 'work']);
  assert.match(stderr, /^http:\/\/127\.0\.0\.1:\d+\/go\/\S+$/m, 'the address is shown');
  for (const CI of ['', '0', 'false']) {
    await stage.run('call', 'work');
    await logsIn(stage, ['login', 'work', '--force'], { CI });
  }
  assert.equal(stage.browser.all.length, 4);
});

test('without a terminal a login that is there and valid is stayed with, in CI, too; --force and what it lacks make another', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await logsIn(stage, ['login', serverUrl, '--name', 'work']);
  for (const [args, CI] of [
    [[serverUrl], ''],
    [['work', '--no-browser'], ''],
    [['work', '--json'], 'true'],
  ] as const) {
    await using program = startHere(withEnv(stage, { CI }), ['login', ...args], stage);
    const { code, stdout, stderr } = await program.finished;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /already logged in to work.*\n.*--force/);
    assert.equal(stdout === '' ? 'work' : JSON.parse(stdout).name, 'work');
  }
  assert.equal(stage.browser.all.length, 1);
  for (const more of [['--force'], ['--scope', 'notes:write']]) {
    await logsIn(stage, ['login', 'work', ...more]);
  }
});

test('[A-79] CI and --non-interactive forbid the browser, exit 3, and say what to add; --browser forces it', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  for (const [args, CI, why] of [
    [[], 'true', 'CI=true'],
    [['--non-interactive'], '', '--non-interactive'],
  ] as const) {
    await using program = startHere(withEnv(stage, { CI }), ['login', serverUrl, ...args], stage);
    const { code, stderr } = await program.finished;
    assert.equal(code, 3, stderr);
    const said = stderr.replaceAll(/\s+/g, ' ');
    assert.ok(said.includes(`No browser was opened (${why}).`), stderr);
    assert.ok(said.includes('Add --browser to open one, --no-browser for a link, or --device for a code.'));
  }
  assert.equal(stage.browser.all.length, 0);
  await logsIn(stage, ['login', serverUrl, '--browser'], { CI: 'true' });
  await logsIn(stage, ['login', serverUrl, '--browser', '--non-interactive', '--force']);
});

test('[A-79] without a display, too, login and call --login say which command a person can run, exit 3', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  for (const args of [
    ['login', serverUrl],
    ['call', serverUrl, '--login'],
    ['request', serverUrl, '--login'],
    ['proxy', serverUrl],
  ]) {
    await using program = startHere(withEnv(stage, { DISPLAY: '' }), args, stage);
    const { code, stderr } = await program.finished;
    assert.equal(code, 3, stderr);
    assert.match(stderr, /No browser was opened \(there is no display here\)\./);
    assert.ok(stderr.includes(`postern login ${serverUrl}`), stderr);
    assert.match(stderr, /--no-browser for a link/);
  }
});

test('call --login, request --login and proxy log in through the browser without a terminal, too', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await logsIn(stage, ['call', serverUrl, '--login', '--store', 'memory']);
  await logsIn(stage, ['request', serverUrl, '--login', '--store', 'memory', '-d', '{}']);
  await stage.browser.forget();
  await using proxy = stage.start('proxy', serverUrl);
  await walkLogin(await stage.browser.opened());
  await proxy.waitForStdout(/^http:\/\/127\.0\.0\.1:\d+\/\S+$/m);
  proxy.kill('SIGTERM');
  assert.equal((await proxy.finished).code, 0);
});
