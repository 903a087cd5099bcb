import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBrowser, findOpener } from '../../../src/login/browser/open-browser.js';
import { anyUrl } from '../../support/arbitraries.js';
import { fakeBrowser } from '../../support/fake-browser.js';
import { temporaryFolder } from '../../support/temporary.js';
import { script } from './script.js';

const link = `http://127.0.0.1:41234/go/${'n'.repeat(43)}`;
const platform = process.platform;

test('[A-65] [A-67] [A-74] the opener gets our link as its only argument, and none of our environment', async () => {
  await using folder = await temporaryFolder();
  const fake = await fakeBrowser(folder);
  const secrets = {
    POSTERN_CLIENT_SECRET: 'canary-client-secret',
    GITHUB_TOKEN: 'canary-github',
    XDG_ACTIVATION_TOKEN: 'canary-activation',
    NODE_OPTIONS: '--require=canary-require',
    LD_PRELOAD: 'canary-preload',
    PATH: '/canary-path',
    SSH_AUTH_SOCK: '/canary-agent',
  };
  const desktop = { HOME: folder.path, DISPLAY: ':7', XDG_RUNTIME_DIR: '/run/user/7', LANG: 'C.UTF-8' };
  const browser = createBrowser({ platform, env: { ...secrets, ...desktop, BROWSER: fake.path } });
  assert.equal(await browser.open(link), 'opened');
  assert.equal(await fake.opened(), link);
  const record = await fake.record();
  assert.deepEqual(record.match(/^argument .*$/gm), [`argument ${link}`]);
  assert.doesNotMatch(record, /canary|NODE_OPTIONS|_TOKEN|BROWSER=/);
  for (const [name, value] of Object.entries(desktop)) assert.ok(record.includes(`${name}=${value}\n`), name);
  assert.match(record, /^PATH=\/usr\/local\/bin:\/usr\/bin:\/bin/m);
});

test('the opener gets our link under whatever host the redirect address has', async () => {
  for (const host of ['localhost', '[::1]']) {
    await using folder = await temporaryFolder();
    const fake = await fakeBrowser(folder);
    const browser = createBrowser({ platform, env: { HOME: folder.path, BROWSER: fake.path } });
    const own = link.replace('127.0.0.1', host);
    assert.equal(await browser.open(own), 'opened');
    assert.equal(await fake.opened(), own);
  }
});

test('[A-65] [A-67] property: nothing but our own link ever reaches an opener', async () => {
  await using folder = await temporaryFolder();
  const fake = await fakeBrowser(folder);
  const browser = createBrowser({ platform, env: { BROWSER: fake.path } });
  const shell = fc.constantFrom(
    '$(id)',
    '`id`',
    ';id',
    '&calc',
    '%USERPROFILE%',
    '" & calc & "',
    '\u2019',
    ' ',
    '\n',
    '#',
    '?x',
  );
  const urls = fc.oneof(
    anyUrl,
    shell.map((text) => link + text),
    shell.map((text) => text + link),
    fc.constantFrom(
      '-h',
      '--help',
      ' http://127.0.0.1:1/go/x',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'a:$(calc.exe)',
      'http://127.0.0.1/go/x',
      'http://localhost/go/x',
      'http://localhost.evil.example:1/go/x',
      'http://[::2]:1/go/x',
      'http://127.0.0.1:1@evil.example/go/x',
      'http://127.0.0.1:1/go/',
      'http://127.0.0.1:1/callback?code=x',
      'https://127.0.0.1:1/go/x',
    ),
  );
  await fc.assert(fc.asyncProperty(urls, async (url) => (await browser.open(url)) === 'unavailable'));
  assert.equal(await fake.record(), '');
});

test('[A-69] BROWSER counts only as one executable file, by its absolute path or by a name on the PATH, and else is refused aloud', async () => {
  await using folder = await temporaryFolder();
  const fake = await fakeBrowser(folder);
  const plain = await script(folder.path, 'plain', 'true', 0o644);
  await mkdir(join(folder.path, 'directory'));
  await symlink('/does/not/exist', join(folder.path, 'dangling'));
  const refused = [
    'sh -c fake-browser',
    `${fake.path} %s`,
    `${fake.path} --new-window`,
    `sh -c '${fake.path}'`,
    `${fake.path}:/usr/bin/true`,
    './fake-browser',
    'fake-browser',
    plain,
    join(folder.path, 'directory'),
    join(folder.path, 'dangling'),
    '',
  ];
  const before = process.cwd();
  process.chdir(folder.path);
  try {
    for (const value of refused) {
      const env = { BROWSER: value, PATH: folder.path };
      assert.deepEqual(findOpener('linux', env), { kind: 'none' }, value);
      const said: string[] = [];
      const watch = { failed: assert.fail, tell: (line: string) => void said.push(line) };
      const browser = createBrowser({ platform: 'linux', env });
      assert.equal(await browser.open(link, undefined, watch), 'unavailable', value);
      assert.equal(said.length, value === '' ? 0 : 1, value);
      assert.ok(
        said.every((line) => line.startsWith('BROWSER is ignored: it must be one program')),
        said[0],
      );
    }
  } finally {
    process.chdir(before);
  }
  assert.equal(await fake.record(), '');
  const env = { BROWSER: basename(fake.path), PATH: `.:${dirname(fake.path)}` };
  assert.deepEqual(findOpener('linux', env), { kind: 'program', path: fake.path });
});

test('[A-69] an opener in the working directory or on the PATH is never found', async () => {
  await using folder = await temporaryFolder();
  for (const name of ['xdg-open', 'open', 'powershell.exe', 'rundll32.exe']) await script(folder.path, name, 'true');
  const before = process.cwd();
  process.chdir(folder.path);
  try {
    for (const on of ['linux', 'darwin', 'freebsd'] as const) {
      const env = { PATH: `${folder.path}:.`, DISPLAY: ':0', WSL_DISTRO_NAME: on === 'linux' ? 'Debian' : '' };
      const opener = findOpener(on, env);
      const fixed = /^(\/usr)?(\/local)?\/bin\/(xdg-open|open)$|^\/run\/current-system\/sw\/bin\/xdg-open$/;
      if (opener.kind === 'program') assert.match(opener.path, fixed);
      else assert.equal(opener.kind, 'none');
    }
  } finally {
    process.chdir(before);
  }
});
