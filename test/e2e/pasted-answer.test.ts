import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { openTab } from '../support/chromium.js';
import { needs } from '../support/needs.js';
import { openStage } from './stage.js';

const skip = needs('chromium', 'gnome-keyring', 'secret-tool', 'script');

/** The address at which a browser on another machine ends up: it cannot reach our callback listener. */
async function addressThatDoesNotLoad(authorizationUrl: URL): Promise<string> {
  await using tab = await openTab();
  const { page } = tab;
  const { port } = new URL(authorizationUrl.searchParams.get('redirect_uri') ?? '');
  const session = await page.context().newCDPSession(page);
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `http://127.0.0.1:${port}/*` }] });
  const refused = new Promise<string>((resolve) => {
    session.on('Fetch.requestPaused', ({ requestId, request }) => {
      void session.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionRefused' });
      resolve(request.url);
    });
  });
  await page.goto(authorizationUrl.href);
  await page.click('button[name=account][value=alice]');
  await page.click('button[name=decision][value=allow]');
  return await refused;
}

test('a redirect URL pasted at the prompt logs in, and one with another state does not [A-82]', { skip }, async () => {
  await using stage = await openStage();
  await using login = await stage.atTerminal('login', stage.sandbox.serverUrl, '--no-browser');
  const url = new URL(await authorizationUrlOf(login.screen));
  const pasted = await addressThatDoesNotLoad(url);
  const forged = new URL(pasted);
  forged.searchParams.set('state', 'another-state-0123456789');

  await login.screen.waitForStdout(/Address/);
  login.type(`${forged.href}\r`);
  await login.screen.waitForStdout(/belongs to another login[\s\S]*Address/);
  const redeemed = stage.sandbox.requests.filter(({ params }) => params.some(([name]) => name === 'code_verifier'));
  assert.deepEqual(redeemed, []);
  login.type(`${pasted}\r`);
  const { code, stdout } = await login.screen.finished;
  assert.equal(code, 0, stdout);
  const { code: secret = '' } = Object.fromEntries(new URL(pasted).searchParams);
  assert.equal(stdout.includes(secret), false, 'what is pasted is not shown');
  assert.equal((await stage.run('token', stage.sandbox.serverUrl)).code, 0);
});
