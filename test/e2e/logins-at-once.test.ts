import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');
const skipAtTerminal = needs('gnome-keyring', 'secret-tool', 'script');

/** How often the browser was opened. */
async function tabs(stage: Stage): Promise<number> {
  return [...(await stage.browser.record()).matchAll(/^argument /gm)].length;
}

/** Resolves when so many of these have come true. */
function settled(promises: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const one = () => {
      left -= 1;
      if (left === 0) resolve();
    };
    for (const promise of promises) promise.then(one, () => undefined);
  });
}

test('[A-109] five terminals log in to one server at once: one tab, one registration, one token for all', {
  skip: skipAtTerminal,
}, async () => {
  await using stage = await openStage();
  const { sandbox } = stage;
  const logins = await Promise.all(Array.from({ length: 5 }, () => stage.atTerminal('login', sandbox.serverUrl)));
  const link = await stage.browser.opened();
  const wait = /Another postern \(process \d+\) is already logging in to \S+; waiting for it/;
  await settled(
    logins.map(({ screen }) => screen.waitForStdout(wait)),
    4,
  );
  await walkLogin(link);
  for (const { screen } of logins) {
    const { code, stdout } = await screen.finished;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Logged in\./);
  }
  assert.equal(await tabs(stage), 1);
  assert.equal(sandbox.stats.tokenRequests, 1);
  assert.equal(sandbox.requests.filter(({ path }) => path === '/register').length, 1);
  assert.equal((await stage.keyring.items()).length, 1);
});

test('[A-109] the process that logs in is killed: of those that wait, exactly one takes over', { skip }, async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  const address = /\bhttps?:\/\/\S+[?&]response_type=code\S*(?=\s)/;
  const wait = /already logging in/;
  await using first = stage.start('login', serverUrl, '--no-browser');
  await first.waitForStderr(address);
  const others = Array.from({ length: 3 }, () => stage.start('login', serverUrl, '--no-browser'));
  await Promise.all(others.map((one) => one.waitForStderr(wait)));
  first.kill('SIGKILL');
  const [url] = await Promise.any(others.map((one) => one.waitForStderr(address)));
  await walkLogin(url);
  const ends = await Promise.all(others.map(({ finished }) => finished));
  assert.deepEqual(
    ends.map(({ code }) => code),
    [0, 0, 0],
    ends.map(({ stderr }) => stderr).join('\n'),
  );
  assert.equal(ends.filter(({ stderr }) => address.test(stderr)).length, 1);
  assert.equal(stage.sandbox.stats.tokenRequests, 1);
});
