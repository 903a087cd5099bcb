import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBrowser, findOpener } from '../../../src/login/browser/open-browser.js';
import { anyUrl } from '../../support/arbitraries.js';
import { fakeBrowser } from '../../support/fake-browser.js';
import { temporaryFolder } from '../../support/temporary.js';
import { script } from './script.js';

const link = `http://127.0.0.1:41234/go/${'n'.repeat(43)}`;
const platform = process.platform;

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

test('BROWSER may be a name on the PATH, in an absolute folder of it', async () => {
  await using folder = await temporaryFolder();
  const { path } = await fakeBrowser(folder);
  const at = (on: string) => findOpener('linux', { BROWSER: basename(path), PATH: on });
  assert.deepEqual(at(`.:${dirname(path)}`), { kind: 'program', path });
  assert.deepEqual([at('.'), findOpener('linux', { BROWSER: '' })], [{ kind: 'none' }, { kind: 'none' }]);
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
