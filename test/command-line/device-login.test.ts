import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walkLogin } from '../support/product.js';
import { openStage } from '../support/stage-here.js';

test('login --device: the code that is shown, typed in a browser elsewhere, logs in', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await using login = stage.start('login', serverUrl, '--device', '--name', 'box');
  const [, address = '', userCode = ''] = await login.waitForStderr(/^ {2}(http\S+)\n.*code there: {2}(\S+)\n/m);
  await walkLogin(address, { userCode });
  stage.advance(5_000);
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  const who = await stage.run('call', 'box', 'whoami');
  assert.match(who.stdout, /alice/, who.stderr);
});

test('login --no-browser: a code stands beside the address, and is enough; the prompt for a paste goes', async () => {
  await using stage = await openStage();
  await using login = await stage.atTerminal('login', stage.sandbox.serverUrl, '--no-browser');
  const [, address = '', userCode = ''] = await login.screen.waitForStdout(
    /^ {2}(http\S+)\r?\n.*code there: {2}(\S+)\r?\n[\s\S]*Address \(it stays hidden\)/m,
  );
  await walkLogin(address, { userCode });
  stage.advance(5_000);
  const { code, stdout } = await login.screen.finished;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /\n\S*Logged in\./);
  assert.equal((await stage.run('token', stage.sandbox.serverUrl)).code, 0);
});
