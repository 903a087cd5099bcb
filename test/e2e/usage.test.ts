import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';

test('without HOME, as a user whom the system does not know: what needs no folder works, the rest says so', {
  skip: needs('root'),
}, async () => {
  const folders = { POSTERN_CONFIG_DIR: '/nowhere/config', POSTERN_STATE_DIR: '/nowhere/state' };
  const run = (words: readonly string[], env = {}) =>
    new Promise<readonly [code: unknown, said: string]>((ended) => {
      const stranger = { uid: 12345, env: { PATH: process.env['PATH'], ...env } };
      execFile(process.execPath, ['bin/postern.js', ...words], stranger, (error, stdout, stderr) =>
        ended([error?.code ?? 0, stdout + stderr]),
      );
    });
  for (const words of [['version'], ['--version'], ['--help'], ['login', '--help'], ['help', 'stores']]) {
    const [code, said] = await run(words);
    assert.equal(code, 0, said);
  }
  for (const words of [
    ['status'],
    ['token', 'x'],
    ['credential', 'headers', 'x'],
    ['doctor'],
    ['setup', 'claude', 'x'],
  ]) {
    const [code, said] = await run(words);
    assert.match(said, /HOME is not set\..*\bHOME=/s);
    assert.equal(code, 2, said);
  }
  assert.deepEqual(await run(['__complete', 'zsh', 'token', '']), [0, '']);
  const [code, said] = await run(['token', 'x'], folders);
  assert.equal(code, 3, said);
});

test('[A-264] nothing that lies in the working folder or above it is read: server, proxy, CA, store, hook, variables', async () => {
  await using home = await makeHome();
  const hostile = {
    caFile: '/nowhere/ca.pem',
    store: 'plain',
    clientMetadataUrl: 'javascript:x',
    redirectPort: 1,
    proxy: 'http://evil.example',
  };
  const names = ['config.json', 'postern.json', '.postern.json', '.posternrc', '.npmrc', 'package.json'];
  for (const name of names) await writeFile(join(home.path, name), JSON.stringify({ ...hostile, postern: hostile }));
  await writeFile(
    join(home.path, '.env'),
    'POSTERN_STORE=plain\nHTTPS_PROXY=http://evil.example\nNODE_OPTIONS=--bad\n',
  );
  const { code, stdout, stderr } = await runProgram(home, ['config', '--json']);
  assert.equal(code, 0, stderr);
  const { exists, settings, clients, clientCertificates } = JSON.parse(stdout);
  assert.deepEqual([exists, clients, clientCertificates], [false, [], []]);
  assert.ok(settings.every(({ by }: { by: string }) => by === 'default'));
});
