import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { runHere } from '../support/in-process.js';

test('a setting is checked, written among what stands there, read back, and taken out again', async () => {
  await using home = await makeHome();
  const folder = join(home.path, 'config', 'postern');
  const file = join(folder, 'config.json');
  const run = (...args: readonly string[]) => runHere(home, ['config', ...args]);
  assert.equal((await run('path')).stdout, `${file}\n`);
  assert.match((await run('get', 'timeoutSeconds')).stderr, /not set/);
  assert.equal((await run('set', 'timeoutSeconds', '60')).stdout, '60\n');
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { timeoutSeconds: 60 });
  const own = '{\n    "clients": [],\n    "timeoutSeconds": 90\n}\n';
  await writeFile(file, own);
  assert.equal((await run('set', 'store', 'file')).code, 0);
  assert.equal(await readFile(file, 'utf8'), own.replace('90', '90,\n    "store": "file"'));
  assert.equal((await run('unset', 'store')).code, 0);
  assert.equal(await readFile(file, 'utf8'), own);
  for (const args of [
    ['set', 'timeoutSeconds', '5'],
    ['set', 'timeoutSecond', '60'],
    ['set', 'clients', '[]'],
    ['set', 'store'],
    ['set', 'clientMetadataUrl', 'http://as.example.com/client.json'],
    ['set', 'clientMetadataUrl', 'https://example.com'],
    ['gte', 'store'],
  ]) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2, stderr);
  }
  assert.match((await run('gte', 'store')).stderr, /postern config get store$/m);
  assert.match((await run('get', 'timeout')).stderr, /postern config get timeoutSeconds$/m);
  assert.equal(await readFile(file, 'utf8'), own, 'nothing was changed');
  assert.deepEqual(await readdir(folder), ['config.json']);
});

test('edit starts the editor as it is, on a copy that replaces the file only when it is valid', async () => {
  await using home = await makeHome();
  const editor = join(home.path, 'editor');
  await mkdir(join(home.path, 'config', 'postern'), { mode: 0o700 });
  const file = join(home.path, 'config', 'postern', 'config.json');
  const editWith = async (script: string) => {
    await writeFile(editor, `#!/bin/sh\n${script}\n`);
    await chmod(editor, 0o755);
    return runHere({ ...home, env: { ...home.env, VISUAL: `${editor} --wait`, POSTERN_TOKEN: 'canary' } }, [
      'config',
      'edit',
    ]);
  };
  const fine = await editWith(`[ "$1" = --wait ] && [ -z "$POSTERN_TOKEN" ] && echo '{"timeoutSeconds": 77}' > "$2"`);
  assert.equal(fine.code, 0, fine.stderr);
  assert.equal(await readFile(file, 'utf8'), '{"timeoutSeconds": 77}\n');
  const broken = await editWith(`echo '{"timeoutSeconds": 1}' > "$2"`);
  assert.match(broken.stderr, /config\.edited-/);
  const unusable = await editWith(`echo '{"clientMetadataUrl": "http://example.com/client.json"}' > "$2"`);
  assert.match(unusable.stderr, /clientMetadataUrl.*https/);
  assert.equal((await editWith('exit 3')).code, 2);
  assert.equal((await editWith('exit 0')).code, 0);
  assert.equal(await readFile(file, 'utf8'), '{"timeoutSeconds": 77}\n');
  const none = await runHere(home, ['config', 'edit']);
  assert.match(none.stderr, /EDITOR=nano[\s\S]*postern config --help/);
});
