import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { script } from '../login/browser/script.js';
import { authorizationUrlOf } from '../support/at-stage.js';
import { fakeBrowser } from '../support/fake-browser.js';
import { makeHome } from '../support/home.js';
import { startHere } from '../support/in-process.js';
import { createMemoryStore, walkLogin } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';

/** A login whose browser is what `BROWSER` names; the address that it shows is walked in its place. */
async function logInBy(browser: string, variables = {}) {
  await using home = await makeHome({ ...variables, BROWSER: browser });
  await using sandbox = await startSandbox();
  await using login = startHere(home, ['login', sandbox.serverUrl, '--force'], { own: { store: createMemoryStore() } });
  await walkLogin(await authorizationUrlOf(login));
  return await login.finished;
}

test('[A-69] BROWSER that is no one executable file by its absolute path is ignored aloud, and nothing of it runs', async () => {
  await using folder = await makeHome();
  const ran = join(folder.path, 'ran');
  const evil = await script(folder.path, 'xdg-open', `: > '${ran}'`);
  const inside = (name: string) => join(folder.path, name);
  await writeFile(inside('plain'), '', { mode: 0o644 });
  await mkdir(inside('directory'));
  await symlink('/does/not/exist', inside('dangling'));
  const values = [`sh -c ${evil}`, `sh -c '${evil}'`, `${evil} %s`, `${evil} --new-window`, `${evil}:/usr/bin/true`];
  values.push('./xdg-open', 'xdg-open-here', inside('plain'), inside('directory'), inside('dangling'));
  const before = process.cwd();
  process.chdir(folder.path);
  try {
    for (const value of values) {
      const { code, stderr } = await logInBy(value, { DISPLAY: ':7' });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /BROWSER is ignored: it must be one program/, value);
    }
  } finally {
    process.chdir(before);
  }
  assert.equal(existsSync(ran), false);
});

test('[A-73] a browser that cannot be started or fails: the address is shown once, and the login goes on', async () => {
  await using folder = await makeHome();
  for (const path of [
    await script(folder.path, 'fails', 'exit 3'),
    await script(folder.path, 'killed', 'kill -9 $$'),
    await script(folder.path, 'late', 'sleep 0.5; exit 4'),
    join(folder.path, 'gone'),
  ]) {
    const { code, stderr } = await logInBy(path);
    assert.equal(code, 0, stderr);
    assert.equal(stderr.match(/response_type=code/g)?.length, 1, stderr);
  }
});

test('[A-65] [A-67] [A-72] [A-74] what a browser prints is lost, and it has our link and none of our secrets', async () => {
  await using folder = await makeHome();
  const fake = await fakeBrowser(folder);
  const noisy = await script(
    folder.path,
    'noisy',
    `echo In existing session; echo noise >&2; exec '${fake.path}' "$@"`,
  );
  const secrets = {
    POSTERN_CLIENT_SECRET: 'canary-client-secret',
    GITHUB_TOKEN: 'canary-github',
    XDG_ACTIVATION_TOKEN: 'canary-activation',
    NODE_OPTIONS: '--require=canary-require',
    LD_PRELOAD: 'canary-preload',
    SSH_AUTH_SOCK: '/canary-agent',
  };
  const desktop = { DISPLAY: ':7', LANG: 'C.UTF-8' };
  await using home = await makeHome({ ...secrets, ...desktop, BROWSER: noisy });
  await using sandbox = await startSandbox();
  await using login = startHere(home, ['login', sandbox.serverUrl, '--force'], { own: { store: createMemoryStore() } });
  const link = await fake.opened();
  await walkLogin(link);
  const { code, stdout, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /existing session|noise/);
  const record = await fake.record();
  assert.deepEqual(record.match(/^argument .*$/gm), [`argument ${link}`]);
  assert.doesNotMatch(record, /canary|NODE_OPTIONS|_TOKEN=|BROWSER=/);
  for (const [name, value] of Object.entries(desktop)) assert.ok(record.includes(`${name}=${value}\n`), name);
  assert.match(record, /^PATH=\/usr\/local\/bin:\/usr\/bin:\/bin/m);
});
