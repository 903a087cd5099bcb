import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walkLogin } from '../../src/sandbox/walk.js';
import { needs } from '../support/needs.js';
import { openStage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

test('login --device: the code that is shown, typed in a browser elsewhere, logs in', { skip }, async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await using login = stage.start('login', serverUrl, '--device', '--name', 'box');
  const [, address = '', userCode = ''] = await login.waitForStderr(
    /^ {2}(http\S+)\n.*code there: {2}(\S+)\n/m,
  );
  await walkLogin(address, { userCode });
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  const who = await stage.run('call', 'box', 'whoami');
  assert.match(who.stdout, /alice/, who.stderr);
});
