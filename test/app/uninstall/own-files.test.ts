import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownFiles, removeOwnFiles, stateNames } from '../../../src/app/uninstall/take-back.js';
import { smallFiles } from '../../../src/stores/state/small-files.js';
import { repositoryRoot } from '../../support/repository.js';
import { temporaryFolder } from '../../support/temporary.js';

/** Every name that stands in the sources behind the state folder. */
function namesInSources(): readonly string[] {
  const folder = join(repositoryRoot, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('sandbox') && !file.endsWith('config-file.ts'), // that is another folder
  );
  const patterns = [
    /\$\{(?:stateFolder(?:\(\))?|directory|folder\(\)|paths\(\)\.state)\}\/([a-z-]+(?:\.json)?)/g,
    /join\((?:machine, )?(?:options\.|machine\.|here\.)?(?:stateFolder(?:\(\))?|directory|state|folder\(\)|paths\(\)\.state), ['`]([a-z.-]+)/g,
  ];
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''));
  });
}

test('whatever is written into the state folder is known to uninstall', () => {
  const names = [...new Set(namesInSources()), ...Object.keys(smallFiles).map((name) => `${name}.json`)];
  for (const one of ['logins.json', 'attempts.json', 'locks', 'sealed', 'setup', 'tools'])
    assert.ok(names.includes(one));
  assert.deepEqual(
    names.filter((name) => !stateNames.test(name)),
    [],
  );
});

test('in a folder that is somebody’s, only what is ours goes; a link to another folder is not followed', async () => {
  await using home = await temporaryFolder();
  const [state, config] = [join(home.path, 'state'), join(home.path, 'config')];
  for (const folder of [join(state, 'locks', 'x'), join(state, 'src'), config])
    await mkdir(folder, { recursive: true });
  const others = ['package.json', '.claude.json', 'logins.json.bak', 'notes'];
  const ours = ['logins.json', '.logins.json.new', 'failures.json'];
  for (const name of [...others, ...ours]) await writeFile(join(state, name), 'x');
  await symlink(join(state, 'src'), join(state, 'sealed'));
  await writeFile(join(state, 'src', 'main.ts'), 'x');
  const key = 'ab'.repeat(32);
  const inside = {
    locks: ['logins.lock', 'logins.lock.123.ab-cd.new', `sha256-${key}.lock`],
    tools: [`${key}.json`, `x-${key}.json.77`],
    shared: [`${key}.newest`, `.${key}.newest.new`],
    recovery: [`${key}.sealed`, `${key}.0123456789abcdef.begun`],
    setup: [`shim-${key.slice(32)}.json`, `.${crypto.randomUUID()}.backup.new`],
  };
  for (const [folder, names] of Object.entries(inside)) {
    await mkdir(join(state, folder), { recursive: true });
    for (const name of names) await writeFile(join(state, folder, name), 'x');
  }
  const theirs = ['tools/build.mjs', 'tools/package.json', 'setup/linux/install.sh'];
  await mkdir(join(state, 'setup', 'linux'));
  for (const name of theirs) await writeFile(join(state, name), 'x');
  for (const name of ['config.json', 'config.edited-0123abcd.json']) await writeFile(join(config, name), '{}');
  const listed = await ownFiles({ state, config });
  assert.deepEqual(
    listed.slice(-2).sort(),
    [join(state, 'logins.json'), join(state, 'setup')],
    'what tells of the rest goes last',
  );
  const left = await removeOwnFiles({ state, config });
  assert.deepEqual(
    left.map((path) => path.slice(state.length + 1)).sort(),
    [...others, 'src', 'locks', 'tools', 'setup'].sort(),
  );
  for (const name of theirs) assert.ok(existsSync(join(state, name)), name);
  assert.deepEqual(readdirSync(join(state, 'tools')).sort(), ['build.mjs', 'package.json']);
  assert.deepEqual(readdirSync(join(state, 'locks')), ['x']);
  assert.ok(existsSync(join(state, 'src', 'main.ts')));
  assert.ok(!existsSync(config));
  assert.deepEqual(await removeOwnFiles({ state: join(home.path, 'none'), config }), []);
  await symlink(state, join(home.path, 'link'));
  await writeFile(join(state, 'logins.json'), 'x');
  assert.deepEqual(await ownFiles({ state: join(home.path, 'link'), config }), []);
});
