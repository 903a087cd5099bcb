import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formsOf } from '../../support/product.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import { authorizationUrl, type Callback, listenForCallback, registerNative } from '../client.js';
import { Tab } from '../tab.js';

async function atConsent(sandbox: Sandbox, clientId: string, redirectUri: string): Promise<Tab> {
  const tab = new Tab();
  await tab.open(authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri }));
  await tab.press('account', 'alice');
  return tab;
}

let sandbox: Sandbox;
let callback: Callback;

before(async () => {
  sandbox = await startSandbox();
  callback = await listenForCallback();
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

test('[R-5.8h] consent shows the name, where the answer goes, the scopes, and warns about loopback', async () => {
  const tab = await atConsent(sandbox, await registerNative(sandbox), callback.redirectUri);
  assert.match(tab.html, /Test program asks to act for you/);
  assert.match(tab.html, new RegExp(`Answer goes to</dt><dd>${new URL(callback.redirectUri).host} <`));
  assert.match(tab.html, /runs on your own computer/);
  assert.match(tab.html, /Read your notes/);
  const mixed = await registerNative(sandbox, {
    redirect_uris: ['http://127.0.0.1/callback', 'https://client.invalid/cb'],
  });
  assert.match((await atConsent(sandbox, mixed, callback.redirectUri)).html, /runs on your own computer/);
  const elsewhere = await atConsent(sandbox, mixed, 'https://client.invalid/cb');
  assert.match(elsewhere.html, /Answer goes to<\/dt><dd>client\.invalid</);
  assert.doesNotMatch(elsewhere.html, /runs on your own computer/);
});

test('[A-288] pages cannot be framed, load nothing, and run no script', async () => {
  const tab = await atConsent(sandbox, await registerNative(sandbox), callback.redirectUri);
  const policy = tab.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.equal(tab.headers.get('x-frame-options'), 'DENY');
  assert.equal(tab.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(tab.headers.get('cache-control'), 'no-store');
  assert.doesNotMatch(tab.html, /<script|javascript:|\son\w+=/i);
});

test('[A-288] what a client says about itself is text, however it is written', async () => {
  const name = `<script>alert(1)</script>" onload='x' \u202egood\u001b[2J`;
  const tab = await atConsent(sandbox, await registerNative(sandbox, { client_name: name }), callback.redirectUri);
  for (const bad of ['<script', '\u202e', '\u001b']) assert.equal(tab.html.includes(bad), false);
  assert.match(tab.html, /&#60;script&#62;alert\(1\)/);
  await tab.open(
    authorizationUrl(sandbox, { client_id: '"><img src=x onerror=alert(1)>', redirect_uri: callback.redirectUri }),
  );
  assert.equal(tab.status, 400);
  assert.doesNotMatch(tab.html, /<img/);
});

test('[A-288] a decision without the token of its page is refused, and each question is answered once', async () => {
  const clientId = await registerNative(sandbox);
  const other = await atConsent(sandbox, clientId, callback.redirectUri);
  const foreign = Object.fromEntries(formsOf(other.html)[0]?.fields ?? [])['csrf'] ?? '';
  const tab = await atConsent(sandbox, clientId, callback.redirectUri);
  const page = tab.html;
  for (const csrf of ['', 'guess', foreign]) {
    tab.html = page;
    await tab.press('decision', 'allow', { csrf });
    assert.equal(tab.status, 403);
  }
  tab.html = page;
  await tab.press('decision', 'allow');
  assert.match(tab.headers.get('location') ?? '', /[?&]code=/);
  tab.html = page;
  await tab.press('decision', 'allow');
  assert.equal(tab.status, 400);
});

test('[A-288] a page opened in another browser, without its cookie, shows nothing of the login', async () => {
  const tab = await atConsent(sandbox, await registerNative(sandbox), callback.redirectUri);
  const response = await fetch(tab.url);
  assert.equal(response.status, 400);
  assert.doesNotMatch(await response.text(), /Test program/);
});

test('[A-288] each login asks, however short a time ago the same browser said yes', async () => {
  const web = { application_type: 'web', redirect_uris: ['https://client.invalid/cb'] };
  // In the redirect, or behind the link of a page that names a site elsewhere.
  const hasCode = (tab: Tab) => /[?&]code=/.test(`${tab.headers.get('location')} ${tab.html}`);
  for (const [kind, more, redirectUri] of [
    ['native', {}, callback.redirectUri],
    ['web', web, 'https://client.invalid/cb'],
  ] as const) {
    const clientId = await registerNative(sandbox, more);
    const tab = await atConsent(sandbox, clientId, redirectUri);
    await tab.press('decision', 'allow');
    assert.ok(hasCode(tab), kind);
    await tab.open(authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri }));
    assert.equal(hasCode(tab), false, `a ${kind} client gets no code unasked`);
    assert.match(tab.html, /name="(?:decision|account)"/, kind);
  }
});

test('[A-295] every page says that this is no place for real accounts', async () => {
  const page = await (await fetch(`${sandbox.issuer}/authorize?client_id=x`)).text();
  assert.match(page, /Not for production/);
});
