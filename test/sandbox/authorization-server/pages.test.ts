import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formsOf } from '../../support/product.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import { authorizationUrl, type Callback, listenForCallback, registerNative } from '../client.js';
import { Tab } from '../tab.js';

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

/** The consent page that an authorization request leads to. */
async function atConsent(link: string): Promise<Tab> {
  const tab = new Tab();
  await tab.open(link);
  await tab.press('account', 'alice');
  return tab;
}

/** The consent page of a client with these members. */
async function consentOf(metadata = {}, redirect_uri = callback.redirectUri): Promise<Tab> {
  const client_id = await registerNative(sandbox, metadata);
  return atConsent(authorizationUrl(sandbox, { client_id, redirect_uri }));
}

test('[R-5.8h] consent shows the name, where the answer goes, the scopes, and warns about loopback', async () => {
  const redirect_uris = ['http://127.0.0.1/callback', 'https://client.invalid/cb'];
  const { html } = await consentOf({ redirect_uris });
  assert.match(html, /Test program asks to act for you/);
  assert.match(html, new RegExp(`Answer goes to</dt><dd>${new URL(callback.redirectUri).host} <`));
  assert.match(html, /runs on your own computer/);
  assert.match(html, /Read your notes/);
  const elsewhere = await consentOf({ redirect_uris }, 'https://client.invalid/cb');
  assert.match(elsewhere.html, /Answer goes to<\/dt><dd>client\.invalid</);
  assert.doesNotMatch(elsewhere.html, /runs on your own computer/);
});

test('[A-288] [A-295] pages cannot be framed, load nothing, run no script, and say that this is no place for real accounts', async () => {
  const { headers, html } = await consentOf();
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  const others = ['x-frame-options', 'x-content-type-options', 'cache-control'].map((name) => headers.get(name));
  assert.deepEqual(others, ['DENY', 'nosniff', 'no-store']);
  assert.doesNotMatch(html, /<script|javascript:|\son\w+=/i);
  for (const page of [html, await (await fetch(`${sandbox.issuer}/authorize?client_id=x`)).text()])
    assert.match(page, /Not for production/);
});

test('[A-288] what a client says about itself is text, however it is written', async () => {
  const tab = await consentOf({ client_name: `<script>alert(1)</script>" onload='x' \u202egood\u001b[2J` });
  for (const bad of ['<script', '\u202e', '\u001b']) assert.equal(tab.html.includes(bad), false);
  assert.match(tab.html, /&#60;script&#62;alert\(1\)/);
  const unknown = { client_id: '"><img src=x onerror=alert(1)>', redirect_uri: callback.redirectUri };
  await tab.open(authorizationUrl(sandbox, unknown));
  assert.equal(tab.status, 400);
  assert.doesNotMatch(tab.html, /<img/);
});

test('[A-288] a decision without the token of its page is refused, each question is answered once, and only in its browser', async () => {
  const foreign = Object.fromEntries(formsOf((await consentOf()).html)[0]?.fields ?? [])['csrf'] ?? '';
  const tab = await consentOf();
  const page = tab.html;
  const stranger = await fetch(tab.url);
  assert.equal(stranger.status, 400);
  assert.doesNotMatch(await stranger.text(), /Test program/);
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

test('[A-288] each login asks, however short a time ago the same browser said yes', async () => {
  const away = 'https://client.invalid/cb';
  // In the redirect, or behind the link of a page that names a site elsewhere.
  const hasCode = (tab: Tab) => /[?&]code=/.test(`${tab.headers.get('location')} ${tab.html}`);
  for (const [more, redirect_uri] of [
    [{}, callback.redirectUri],
    [{ application_type: 'web', redirect_uris: [away] }, away],
  ] as const) {
    const link = authorizationUrl(sandbox, { client_id: await registerNative(sandbox, more), redirect_uri });
    const tab = await atConsent(link);
    await tab.press('decision', 'allow');
    assert.ok(hasCode(tab), redirect_uri);
    await tab.open(link);
    assert.equal(hasCode(tab), false, 'no code unasked');
    assert.match(tab.html, /name="(?:decision|account)"/);
  }
});

test('[A-292] user codes can be guessed twenty times, and then nobody can for a while', async () => {
  await using guessed = await startSandbox();
  const tab = new Tab();
  for (const letter of 'KLMNPQRSTVWXZBCDFGHJ') {
    await tab.open(`${guessed.issuer}/device`);
    await tab.press('decision', 'code', { user_code: `BCDF-GHJ${letter}` });
    assert.match(tab.html, /No login waits with that code/);
  }
  await tab.open(`${guessed.issuer}/device`);
  assert.equal(tab.status, 429);
  assert.match(tab.html, /too many wrong codes/);
});
