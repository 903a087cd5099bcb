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

test('login --no-browser names the command that shows a code', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await using login = stage.start('login', serverUrl, '--no-browser', '--name', 'box');
  const [, command = ''] = await login.waitForStderr(/on any computer or phone instead, run: (postern .*)\n/);
  assert.equal(command, `postern login ${serverUrl} --name box --device`);
});
