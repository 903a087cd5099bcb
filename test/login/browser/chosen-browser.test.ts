import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileWords, readBrowser } from '../../../src/login/browser/chosen-browser.js';
import { createBrowser } from '../../../src/login/browser/open-browser.js';
import { anyText } from '../../support/arbitraries.js';
import { fakeBrowser } from '../../support/fake-browser.js';
import { openScene } from '../../support/flows/scene.js';
import { temporaryFolder } from '../../support/temporary.js';
import { script } from './script.js';

const link = `http://127.0.0.1:41234/go/${'n'.repeat(43)}`;
const platform = process.platform;

test('a chosen browser is started by its path with its profile and our link, and with nothing else', async () => {
  await using folder = await temporaryFolder();
  const fake = await fakeBrowser(folder);
  const usual = await script(folder.path, 'usual', `: > '${folder.path}/usual-was-started'`);
  const firefox = await script(folder.path, 'firefox-x', `exec '${fake.path}' "$@"`);
  const browser = createBrowser({ platform, env: { BROWSER: usual, SECRET: 'canary' } });
  assert.equal(await browser.open(link, { program: firefox, profile: 'my work' }), 'opened');
  assert.equal(await fake.opened(), link);
  const record = await fake.record();
  assert.deepEqual(record.match(/^argument .*$/gm), ['argument -P', 'argument my work', `argument ${link}`]);
  assert.doesNotMatch(record, /canary/);
  const gone = { program: join(folder.path, 'gone') };
  assert.equal(await browser.open(link, gone), 'unavailable', 'and the usual one is not started instead');
  assert.equal(await browser.open('https://evil.example/', { program: firefox }), 'unavailable');
  assert.equal(await browser.open(link, { program: 'default' }), 'opened');
});

test('what is no browser that we know, no path, and no plain profile is refused', () => {
  assert.equal(readBrowser(undefined, undefined), undefined);
  assert.deepEqual(readBrowser('firefox', 'work'), { program: 'firefox', profile: 'work' });
  assert.deepEqual(readBrowser('/opt/x/brave', 'Profile 2'), { program: '/opt/x/brave', profile: 'Profile 2' });
  for (const [program, profile] of [
    ['firefux', undefined],
    ['bin/firefox', undefined],
    ['', undefined],
    ['constructor', undefined],
    ['__proto__', 'work'],
    ['firefox', '-no-remote'],
    ['firefox', '--x'],
    ['safari', 'work'],
    ['/opt/lynx', 'work'],
    ['default', 'work'],
  ] as const) {
    assert.throws(() => readBrowser(program, profile), { exit: 2 }, `${program} ${profile}`);
  }
});

test('a profile is one word that cannot be taken for an option', () => {
  fc.assert(
    fc.property(anyText(), fc.constantFrom('chrome', 'firefox'), (profile, program) => {
      try {
        readBrowser(program, profile);
      } catch {
        return;
      }
      const words = profileWords(program, profile) ?? [];
      assert.equal(words.join(' '), program === 'firefox' ? `-P ${profile}` : `--profile-directory=${profile}`);
      assert.match(profile, /^[A-Za-z0-9][ -~]*$/);
    }),
  );
});

test('a login’s browser is remembered, used by the next login and by a step-up, and forgotten with “default”', async () => {
  await using scene = await openScene();
  const chosen: (object | undefined)[] = [];
  const { open } = scene.ports.browser;
  Object.assign(scene.ports, {
    browser: {
      open: (...given: Parameters<typeof open>) => {
        chosen.push(given[1]);
        return open(...given);
      },
    },
  });
  const browser = { program: 'firefox', profile: 'work' };
  await scene.login();
  assert.deepEqual((await scene.login({ browser })).browser, browser);
  const wider = await scene.login({ scopes: ['notes:write'], heldScopes: ['mcp:basic'] });
  assert.deepEqual({ ...(await scene.ports.index.read()).logins[0]?.browser }, browser);
  assert.deepEqual({ ...wider.browser }, browser);
  assert.equal((await scene.login({ browser: { program: 'default' } })).browser, undefined);
  await scene.login({ account: 'other' });
  const seen = chosen.map((one) => (one === undefined ? one : { ...one }));
  assert.deepEqual(seen, [undefined, browser, browser, { program: 'default' }, undefined]);
});
