import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTab } from '../support/chromium.js';
import { type HostedFolder, hostFolder } from '../support/hosted-folder.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { type Finished, type Running, runProgram } from '../support/program.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('chromium', 'gnome-keyring', 'secret-tool', 'script');

/** A document that `init` makes in the stage's home, published on this machine. */
async function serveDocument(stage: Stage, ...options: readonly string[]): Promise<HostedFolder> {
  const hosted = await hostFolder(join(stage.home.path, 'client-metadata'));
  const words = ['client-metadata', 'init', '--url', hosted.url, '--name', 'My own client', ...options];
  const made = await stage.run(...words);
  assert.equal(made.code, 0, made.stderr);
  return hosted;
}

/** A sandbox that takes this document; it knows nothing of what another sandbox has fetched. */
async function startSandbox(stage: Stage, { url, certificate }: HostedFolder): Promise<Running & { server: string }> {
  const allow = ['--allow-client-documents-from', new URL(url).host, '--client-documents-ca', certificate];
  const sandbox = stage.start('sandbox', '--no-registration', ...allow);
  const [server = ''] = await sandbox.waitForStdout(/http:\S+/);
  return Object.assign(sandbox, { server });
}

interface LoginAt {
  readonly server: string;
  readonly url: string;
  readonly account: string;
}

/** Logs in; `answer` is what the person does with the one-time link. */
async function logIn(stage: Stage, at: LoginAt, answer: (link: string) => Promise<unknown>): Promise<Finished> {
  await stage.browser.forget();
  const options = ['--account', at.account, '--client-metadata-url', at.url];
  await using login = await stage.atTerminal('login', at.server, ...options);
  await answer(await stage.browser.opened());
  const ended = await login.screen.finished;
  assert.equal(ended.code, 0, ended.stdout);
  return ended;
}

/** The person in a real browser; what the consent page said. */
async function allowInChromium(link: string): Promise<string> {
  await using tab = await openTab();
  const { page } = tab;
  await page.goto(link);
  await page.click('button[name=account][value=alice]');
  const allow = page.locator('button[name=decision][value=allow]');
  await allow.waitFor();
  const consent = (await page.textContent('main')) ?? '';
  await allow.click();
  await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/(?!go\/|callback)/);
  assert.equal(await page.textContent('h1'), 'You are logged in');
  return consent;
}

test('[R-1.8b][R-4.4a][R-5.8h] from an empty folder: init, publish, check, login in a real browser; the consent page says who asks and where the answer goes', {
  skip,
}, async () => {
  await using stage = await openStage();
  await using served = await serveDocument(stage);
  const trusting = { ...stage.home, env: { ...stage.home.env, POSTERN_CA_FILE: served.certificate } };
  const checked = await runProgram(trusting, ['client-metadata', 'check']);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  await using sandbox = await startSandbox(stage, served);
  const shown = await stage.run('client-metadata', 'show', sandbox.server, '--url', served.url);
  assert.match(shown.stdout, /^way {8}client ID metadata document: the authorization server takes/m);
  assert.match(shown.stdout, /^not taken {2}registered by hand: /m);
  let page = '';
  const ended = await logIn(stage, { ...sandbox, url: served.url, account: 'default' }, async (link) => {
    page = await allowInChromium(link);
  });
  assert.match(page, /My own client/);
  assert.ok(page.includes(new URL(served.url).host), 'the host that vouches for it');
  assert.match(page, /127\.0\.0\.1:\d+/, 'where the answer goes');
  assert.match(page, /your own computer|this computer/i, 'the warning for loopback');
  assert.match(ended.stdout, /metadata document\)/);
  const call = await stage.run('call', sandbox.server, 'whoami');
  assert.match(call.stdout, /alice/, call.stderr);
});

test('[R-4.6a] a login keeps its document: more scope, and the next login, do not make it another client', {
  skip,
}, async () => {
  await using stage = await openStage();
  await using served = await serveDocument(stage);
  const { certificate, url } = served;
  const allow = ['--allow-client-documents-from', new URL(url).host, '--client-documents-ca', certificate];
  await using sandbox = stage.start('sandbox', ...allow);
  const [server = ''] = await sandbox.waitForStdout(/http:\S+/);
  await logIn(stage, { server, url, account: 'default' }, walkLogin);
  for (const again of [
    ['call', server, 'note_add', 'text=hello', '--login'],
    ['login', server, '--force'],
  ]) {
    await stage.browser.forget();
    await using terminal = await stage.atTerminal(...again);
    await walkLogin(await stage.browser.opened());
    const ended = await terminal.screen.finished;
    assert.equal(ended.code, 0, ended.stdout);
    const { logins } = JSON.parse((await stage.run('status', '--json')).stdout);
    assert.deepEqual([logins[0].registration, logins[0].clientId], ['metadata', url], again[0]);
  }
  const shown = await stage.run('client-metadata', 'show', server);
  assert.ok(shown.stdout.includes(url), shown.stdout);
});

test('[R-2.3c] the same with private_key_jwt; then rotate: a login with the new key while the old one still verifies; then the new one alone', {
  skip,
}, async () => {
  await using stage = await openStage();
  await using served = await serveDocument(stage, '--auth', 'private_key_jwt');
  const { url } = served;
  const kids = async (): Promise<readonly string[]> => {
    const text = await readFile(join(stage.home.path, 'client-metadata', 'client.json'), 'utf8');
    assert.doesNotMatch(text, /"d":/, 'nothing private is published');
    return JSON.parse(text).jwks.keys.map(({ kid }: { kid: string }) => kid);
  };
  const [old] = await kids();
  await using behind = await startSandbox(stage, served);
  await logIn(stage, { server: behind.server, url, account: 'one' }, walkLogin);

  const rotated = await stage.run('client-metadata', 'rotate');
  assert.equal(rotated.code, 0, rotated.stderr);
  const [next, ...others] = await kids();
  assert.deepEqual([others, next === old], [[old], false]);
  // This one has read the document a moment ago, and does not know the new key yet.
  await logIn(stage, { server: behind.server, url, account: 'two' }, walkLogin);
  await using ahead = await startSandbox(stage, served);
  await logIn(stage, { server: ahead.server, url, account: 'one' }, walkLogin);

  const retired = await stage.run('client-metadata', 'rotate', '--retire');
  assert.equal(retired.code, 0, retired.stderr);
  assert.deepEqual(await kids(), [next]);
  await using last = await startSandbox(stage, served);
  await logIn(stage, { server: last.server, url, account: 'one' }, walkLogin);
  for (const text of Object.values(stage.printed)) assert.doesNotMatch(text, /PRIVATE KEY|"d":/);
});
