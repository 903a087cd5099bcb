import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTab } from '../support/chromium.js';
import { needs } from '../support/needs.js';
import { openStage } from './stage.js';

const skip = needs('chromium', 'gnome-keyring', 'secret-tool', 'script');

async function decide(page: Page, account: string, decision: 'allow' | 'deny'): Promise<void> {
  await page.click(`button[name=account][value=${account}]`);
  await page.click(`button[name=decision][value=${decision}]`);
  await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/(?!go\/|callback)/);
}

test('a person logs in with a real browser: 401, discovery, consent, stored credential, call [R-5.3a] [A-113]', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { serverUrl, issuer } = stage.sandbox;
  await using login = await stage.atTerminal('login', serverUrl, '--name', 'box', '--verbose');
  const link = await stage.browser.opened();
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/go\/[\w-]+$/, 'only our own one-time link is opened');
  await using tab = await openTab();
  await tab.page.goto(link);
  assert.equal(new URL(tab.page.url()).origin, new URL(issuer).origin);
  await decide(tab.page, 'alice', 'allow');

  // What the page says is true when it says it: the credential is stored by then.
  assert.equal(await tab.page.textContent('h1'), 'You are logged in');
  assert.notDeepEqual(await stage.keyring.items(), []);
  assert.doesNotMatch(tab.page.url(), /code=|state=/, 'nothing worth copying stays in the address bar');
  assert.equal((await login.screen.finished).code, 0, login.screen.stdout);

  // Every step of the rules was taken, in order, and `--verbose` tells each.
  const asked = stage.sandbox.requests.map(({ at, method, path }) => `${at} ${method} ${path}`);
  const steps = [
    /^server POST \/mcp$/,
    /^server GET \/\.well-known\/oauth-protected-resource\/mcp$/,
    /^authorization GET \/\.well-known\/oauth-authorization-server/,
    /^authorization POST .*reg/,
    /^authorization GET .*\/authorize$/,
    /^authorization POST .*\/token$/,
  ];
  const places = steps.map((step) => asked.findIndex((line) => step.test(line)));
  assert.deepEqual(
    places,
    [...places].sort((one, two) => one - two),
    asked.join('\n'),
  );
  assert.equal(places.includes(-1), false, asked.join('\n'));
  const names = ['unauthenticated-request', 'protected-resource-metadata', 'authorization-server-metadata'];
  for (const name of [...names, 'client-identity', 'authorization', 'store']) {
    assert.match(login.screen.stdout, new RegExp(name), `--verbose tells of ${name}`);
  }
  const call = await stage.run('call', 'box', 'whoami');
  assert.equal(call.code, 0, call.stderr);
  assert.match(call.stdout, /alice/);
});

test('a login refused in a real browser ends with its own code, and the earlier login is kept [A-87]', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await using first = await stage.atTerminal('login', serverUrl);
  await using tab = await openTab();
  await tab.page.goto(await stage.browser.opened());
  await decide(tab.page, 'alice', 'allow');
  assert.equal((await first.screen.finished).code, 0, first.screen.stdout);
  const before = await stage.run('token', serverUrl);

  await stage.browser.forget();
  await using second = await stage.atTerminal('login', serverUrl, '--force');
  await using other = await openTab({ colorScheme: 'dark', javaScript: false });
  await other.page.goto(await stage.browser.opened());
  await decide(other.page, 'alice', 'deny');
  assert.equal(await other.page.textContent('h1'), 'You declined; nothing was stored');
  assert.equal((await second.screen.finished).code, 4);
  assert.match(second.screen.stdout, /denied/);
  assert.equal((await stage.run('token', serverUrl)).stdout, before.stdout);
});
