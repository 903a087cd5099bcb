import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isOwnName, ownFiles, removeOwnFiles } from '../../../src/app/uninstall/own-files.js';
import { repositoryRoot } from '../../support/repository.js';
import { temporaryFolder } from '../../support/temporary.js';

/** Every name that stands in the sources behind the state folder. */
function namesInSources(): readonly string[] {
  const folder = join(repositoryRoot, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('sandbox'),
  );
  const patterns = [
    /\$\{(?:stateFolder(?:\(\))?|directory|folder\(\)|paths\(\)\.state)\}\/([a-z-]+(?:\.json)?)/g,
    /join\((?:machine, )?(?:options\.|machine\.|here\.)?(?:stateFolder|directory|state), '([a-z.-]+)'/g,
  ];
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''));
  });
}

test('whatever is written into the state folder is known to uninstall', () => {
  const names = [...new Set(namesInSources())].filter((name) => name !== 'document-certificate-');
  for (const one of ['logins.json', 'attempts.json', 'locks', 'sealed', 'setup', 'tools'])
    assert.ok(names.includes(one));
  assert.deepEqual(
    names.filter((name) => !isOwnName(name)),
    [],
  );
});

test('in a folder that is somebody’s, only what is ours goes; a link to another folder is not followed', async () => {
  await using home = await temporaryFolder();
  const [state, config] = [join(home.path, 'state'), join(home.path, 'config')];
  for (const folder of [join(state, 'locks', 'x'), join(state, 'src'), config])
    await mkdir(folder, { recursive: true });
  const others = ['package.json', '.claude.json', 'logins.json.bak', 'notes'];
  const ours = ['logins.json', '.logins.json.new', 'failures.json', 'document-certificate-8443.pem'];
  for (const name of [...others, ...ours]) await writeFile(join(state, name), 'x');
  await symlink(join(state, 'src'), join(state, 'sealed'));
  await writeFile(join(state, 'src', 'main.ts'), 'x');
  await writeFile(join(config, 'config.json'), '{}');
  const listed = await ownFiles({ state, config });
  assert.equal(listed.at(-1), join(state, 'logins.json'), 'what tells of the rest goes last');
  const left = await removeOwnFiles({ state, config });
  assert.deepEqual(left.map((path) => path.slice(state.length + 1)).sort(), [...others, 'src'].sort());
  assert.ok(existsSync(join(state, 'src', 'main.ts')));
  assert.ok(!existsSync(config));
  assert.deepEqual(await removeOwnFiles({ state: join(home.path, 'none'), config }), []);
  await symlink(state, join(home.path, 'link'));
  await writeFile(join(state, 'logins.json'), 'x');
  assert.deepEqual(await ownFiles({ state: join(home.path, 'link'), config }), []);
});
