import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logIn } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { openStage } from '../support/stage-here.js';

test('[R-2.1c][A-80][R-5.6a] call without --login at a terminal: the new scope is shown, a yes opens the browser, the call is done', async () => {
  await using stage = await openStage();
  const { origin } = new URL(stage.sandbox.serverUrl);
  const document = await (await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`)).json();
  assert.deepEqual(document.scopes_supported, ['mcp:basic'], 'the minimal set');
  await logIn(stage);
  const args = ['call', stage.sandbox.serverUrl, 'note_add', 'text=hello'];
  await using call = await stage.atTerminal(...args);
  await call.screen.waitForStdout(/needs the scope notes:write for this/);
  await call.screen.waitForStdout(/\[Y\/n\]/);
  call.type('y\r');
  await walkLogin(await stage.browser.opened(), {});
  const { code, stdout } = await call.screen.finished;
  assert.equal(code, 0, stdout);
  assert.equal((await stage.run(...args)).code, 0, 'the scope is held from now on');
});

test('[A-79] the same without a terminal: no question, no browser, exit 3', async () => {
  await using stage = await openStage();
  await logIn(stage);
  const { code, stderr } = await stage.run('call', stage.sandbox.serverUrl, 'note_add', 'text=hello');
  assert.equal(code, 3, stderr);
  assert.match(stderr, /try again: postern login localhost --scope 'mcp:basic notes:write'\n/);
  assert.deepEqual(stage.browser.all, []);
});
