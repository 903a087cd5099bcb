import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { protectCalls } from '../support/flows/own-server.js';
import { runHere, startHere, terminalHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';
import { homeWithBrowser } from './home-with-browser.js';

test('a call that has no login offers one at the terminal, and goes on with it', async () => {
  await using sandbox = await startSandbox();
  await using given = await homeWithBrowser();
  const { home, browser } = given;
  const command = ['call', sandbox.serverUrl, 'echo', 'text=hello'];
  await using call = terminalHere(home, command, { stdout: 'terminal', columns: 100 });
  await call.screen.waitForStdout(/Log in now\? \[Y\/n\] /);
  call.type('\r');
  await walkLogin(await browser.opened());
  const { code, stdout } = await call.screen.finished;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /hello\r?\n$/);
});

test('after a no, and where nobody is asked, a call without a login fails as ever', async () => {
  await using sandbox = await startSandbox();
  await using given = await homeWithBrowser();
  const { home } = given;
  const words = ['call', sandbox.serverUrl, 'echo', 'text=hello'];
  await using call = terminalHere(home, words, { stdout: 'terminal', columns: 100 });
  await call.screen.waitForStdout(/Log in now\? \[Y\/n\] /);
  call.type('n\r');
  const declined = await call.screen.finished;
  assert.equal(declined.code, 3);
  assert.match(declined.stdout, /Not logged in\.\s+Run:[\s\S]+postern login [\s\S]+login_needed, exit 3/);
  assert.equal(declined.stdout.match(/There is no login/g)?.length, 1, declined.stdout);
  for (const option of ['--json', '--non-interactive']) {
    await using quiet = terminalHere(home, [...words, option], { stdout: 'terminal', columns: 100 });
    const { code, stdout } = await quiet.screen.finished;
    assert.equal(code, 3, option);
    assert.doesNotMatch(stdout, /Log in now/, option);
  }
  await using redirected = terminalHere(home, words, { stdout: 'file', columns: 100 });
  const { code, stdout } = await redirected.screen.finished;
  assert.equal(code, 3);
  assert.doesNotMatch(stdout, /Log in now/);
  const piped = await runHere(home, words);
  assert.equal(piped.code, 3);
  const unknown = terminalHere(home, ['call', 'nobody'], { stdout: 'terminal', columns: 100 });
  assert.doesNotMatch((await unknown.screen.finished).stdout, /Log in now/);
});

test('call --login, at a server that asks for a login at a tool call alone: made by what that call was told, and the call goes on', async () => {
  await using own = await openOwnScene();
  await using given = await homeWithBrowser();
  const { home, browser } = given;
  const { server, issuer } = own;
  protectCalls(server);
  server.challenge = `Bearer resource_metadata="${server.origin}/told"`;
  server.documents = { '/told': { resource: server.url, authorization_servers: [issuer.issuer] } };
  await using call = startHere(home, ['call', server.url, 't', '--login', '--browser']);
  await walkLogin(await browser.opened());
  const { code, stdout, stderr } = await call.finished;
  assert.deepEqual([code, stdout], [0, 'done\n'], stderr);
  const open = await runHere(home, ['call', `${server.url}?open=1`, '--login', '--browser']);
  assert.equal(open.code, 0, open.stderr);
});
