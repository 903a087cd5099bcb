import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { walkLogin } from '../../support/product.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import { type Callback, listenForCallback } from '../client.js';
import { Tab } from '../tab.js';
import { codeAt, preparedTrap, profileFor, program, willing } from './deputy.js';

let sandbox: Sandbox;
let callback: Callback;
let evilCallback: Callback;

before(async () => {
  sandbox = await startSandbox();
  [callback, evilCallback] = [await listenForCallback(), await listenForCallback()];
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
  await evilCallback[Symbol.asyncDispose]();
});

test('[R-5.8j] [R-5.2d] allowed here and there, a program reads the upstream, with a token that is not its own', async () => {
  const honest = await program(sandbox, callback, 'Honest program');
  await walkLogin(honest.link);
  assert.match(await profileFor(sandbox, honest), /you are Robin Upstream/);
  const shown = sandbox.upstreamTokens.at(-1) ?? '';
  assert.match(shown, /^[A-Za-z0-9_-]{43}$/);
  assert.ok(!JSON.stringify(sandbox.requests).includes(shown), 'no client ever saw it');

  const other = await program(sandbox, callback, 'Other program');
  const browser = new Tab({ roams: true });
  await browser.open(other.link);
  await browser.press('account', 'alice');
  await browser.press('decision', 'allow');
  assert.equal(browser.url.origin, sandbox.upstreamUrl);
  await browser.press('decision', 'deny');
  await assert.rejects(profileFor(sandbox, other), /needs the scope upstream:read/, 'denied there, denied here');
});

test('[R-5.8j] the upstream asks a browser once; here every newly registered client is asked about, each time, before anything is sent there', async () => {
  const honest = await program(sandbox, callback, 'Honest program');
  const evil = await program(sandbox, evilCallback, 'Evil program');
  const browser = await willing(honest.link, 'alice');
  assert.notEqual(codeAt(honest), null);
  for (const link of [evil.link, evil.link, honest.link]) {
    await browser.open(link);
    assert.match(browser.html, /asks to act for you/);
    assert.match(browser.html, /Read your profile at the upstream/);
    assert.match(browser.html, new RegExp(`Answer goes to</dt><dd>${new URL(callback.redirectUri).hostname}`));
    // The state and its cookie are made by the consent, so there is nothing yet to go to the upstream with.
    assert.deepEqual([browser.headers.getSetCookie().join().includes('upstream'), browser.status], [false, 200]);
  }
  assert.equal(codeAt(evil), null);
  await browser.press('decision', 'allow');
  assert.equal(browser.url.origin, new URL(callback.redirectUri).origin, 'the upstream did not ask again');
});

test('[R-5.8j] an answer of the upstream counts once, and only in the browser that was sent there', async () => {
  const honest = await program(sandbox, callback, 'Honest program');
  const evil = await program(sandbox, evilCallback, 'Evil program');
  const victim = await willing(honest.link, 'alice');
  const { tab, trap, login } = await preparedTrap(evil);
  assert.ok(trap.startsWith(sandbox.upstreamUrl));
  await victim.open(trap);
  assert.equal(victim.status, 400);
  assert.match(victim.html, /belongs to no login in this browser/);
  await tab.open(login);
  assert.match(tab.html, /asks to act for you/, 'the attacker is asked again, and has nothing');
  // Used up: even the right browser cannot bring it any more.
  await tab.open(victim.url);
  assert.equal(tab.status, 400);
  assert.equal(codeAt(evil), null);
});

test('[R-5.8j] [R-5.8f] made-up states, none, and other issuers lead nowhere; the upstream redirects to the one URI of its client', async () => {
  const { tab, trap } = await preparedTrap(await program(sandbox, evilCallback, 'Evil program'));
  const state = new URL(trap).searchParams.get('state') ?? '';
  for (const query of [
    '',
    'code=x',
    `code=x&state=guess&iss=${sandbox.upstreamUrl}`,
    `code=x&state=${state}&iss=evil`,
  ]) {
    await tab.open(`${sandbox.issuer}/upstream/callback?${query}`);
    assert.equal(tab.status, 400, query);
  }
  for (const [name, value] of [
    ['redirect_uri', evilCallback.redirectUri],
    ['redirect_uri', `${sandbox.issuer}/upstream/callback/`],
    ['client_id', 'other'],
  ] as const) {
    const url = new URL(trap);
    url.searchParams.set(name, value);
    const response = await fetch(url, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [400, null]);
  }
});
