import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { runProgram } from '../support/program.js';

test('a broken document ends with exit 5; every finding has a rule and a remedy, as JSON too', async () => {
  await using home = await makeHome();
  await runProgram(home, ['client-metadata', 'init', '--url', 'https://client-metadata.invalid/client.json']);
  const { code, stdout } = await runProgram(home, ['client-metadata', 'check']);
  assert.equal(code, 5);
  assert.match(stdout, /^FAILS in the file: .*placeholder.*\[Client ID Metadata Document draft 00 section 4\]\n {6}\S/);
  assert.match(stdout, /^1 rule is broken: client-metadata\/client\.json$/m);
  const json = await runProgram(home, ['client-metadata', 'check', '--json']);
  assert.equal(json.code, 5);
  const { findings, ...rest } = JSON.parse(json.stdout);
  assert.deepEqual(rest, {
    holds: false,
    file: 'client-metadata/client.json',
    url: 'https://client-metadata.invalid/client.json',
    fetched: false,
    unreachable: null,
  });
  const [{ what, remedy, ...finding }] = findings;
  assert.deepEqual(finding, {
    code: 'placeholder',
    rule: 'Client ID Metadata Document draft 00 section 4',
    verdict: 'failure',
    where: 'file',
  });
  assert.match(what, /placeholder/);
  assert.match(remedy, /postern client-metadata build/);
});

test('build is reproducible byte for byte, changes what it is told, and init overwrites nothing', async () => {
  await using home = await makeHome();
  const run = (...args: readonly string[]) => runProgram(home, ['client-metadata', ...args]);
  const folder = join(home.path, 'client-metadata');
  const everything = async (path: string) =>
    Promise.all((await readdir(path)).sort().map(async (name) => [name, await readFile(join(path, name), 'utf8')]));
  assert.equal((await run('init', '--url', 'https://me.postern/client.json', '--name', 'mine')).code, 0);
  await cp(folder, join(home.path, 'before'), { recursive: true });
  assert.equal((await run('build')).code, 0);
  assert.deepEqual(await everything(folder), await everything(join(home.path, 'before')));
  const again = await run('init', '--url', 'https://me.postern/client.json');
  assert.equal(again.code, 2);
  assert.match(again.stderr, /client_metadata_exists/);
  // Without a document, from the configuration: the same again.
  await rm(folder, { recursive: true });
  const env = { ...home.env, POSTERN_CLIENT_METADATA_URL: 'https://me.postern/client.json' };
  const fresh = await runProgram({ ...home, env }, ['client-metadata', 'build', '--name', 'mine']);
  assert.equal(fresh.code, 0, fresh.stderr);
  assert.deepEqual(await everything(folder), await everything(join(home.path, 'before')));
  const missing = await run('build', 'nowhere');
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /or make one: postern client-metadata init/);
  const other = await run('build', 'before', '--url', 'https://me.postern/x/client.json', '--out', 'other');
  assert.equal(other.code, 0, other.stderr);
  const { client_id, client_name } = JSON.parse(await readFile(join(home.path, 'other/client.json'), 'utf8'));
  assert.deepEqual([client_id, client_name], ['https://me.postern/x/client.json', 'mine']);
  assert.deepEqual(await everything(join(home.path, 'before')), await everything(folder));
});

test('an action, word or option that does not belong is refused with a hint, exit 2', async () => {
  await using home = await makeHome();
  for (const [words, said] of [
    [['chekc'], /client-metadata check/],
    [['toString'], /one of init, build/],
    [['init', 'folder'], /takes no "folder"/],
    [['check', '--retire'], /check has no option --retire/],
    [['serve'], /one of init, build/],
    [['init'], /POSTERN_CLIENT_METADATA_URL/],
  ] as const) {
    const { code, stderr } = await runProgram(home, ['client-metadata', ...words]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  }
});
