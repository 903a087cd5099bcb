import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, cp, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';
import { storeLogin } from '../support/stored-login.js';
import { nodes, nodesMissing } from './nodes.js';

const skip = nodesMissing() || needs('gnome-keyring', 'dbus');
const canary = 'canary-of-the-compiled-code';

/** The program, installed below the home, and a login; with the compiled code of its build alone. */
async function install(home: Home): Promise<string> {
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(repositoryRoot, name), join(home.path, name), {
      recursive: true,
      filter: (path) => !/\.v\d[^/]*\.cache/.test(path),
    });
  }
  await symlink(join(repositoryRoot, 'node_modules'), join(home.path, 'node_modules'));
  await storeLogin(home, {
    server: 'https://a.example/mcp',
    name: 'work',
    accessToken: canary,
    expiresAt: Date.now() + 3_600_000,
  });
  return join(home.path, 'dist');
}

function postern(node: string, home: Home, words: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const command = [join(home.path, 'bin', 'postern.js'), ...words];
  const { stdout, stderr, status } = spawnSync(node, command, { env: { ...home.env, ...env }, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

const kept = async (dist: string) => (await readdir(dist)).filter((name) => /\.v\d.*\.cache/.test(name)).sort();

for (const [line, node] of nodes) {
  test(`Node.js ${line}: what is compiled at the first run is kept with the program, taken by the second, and holds no secret`, {
    skip,
  }, async () => {
    await using keyring = await startKeyring();
    await using home = await makeHome(keyring.env);
    const dist = await install(home);
    for (let run = 0; run < 2; run += 1) {
      assert.equal(postern(node, home, ['token', 'work']), `${canary}\n`);
      assert.match(postern(node, home, ['status']), /a\.example/);
    }
    const names = await kept(dist);
    const bundles = names.map((name) => name.split('.')[0]);
    assert.deepEqual(bundles, ['hot-path', 'main', 'package-yargs', 'usual']);
    for (const name of names) {
      const bytes = await readFile(join(dist, name));
      assert.ok(!bytes.includes(canary));
      const script = `
        const { readFileSync } = require('node:fs');
        const { Script } = require('node:vm');
        const [source, cachedData] = process.argv.slice(1).map((file) => readFileSync(file));
        process.stdout.write(String(new Script(source.toString('latin1'), { cachedData }).cachedDataRejected));`;
      const bundle = join(dist, `${name.split('.')[0]}.cjs`);
      assert.equal(execFileSync(node, ['-e', script, bundle, join(dist, name)], { encoding: 'utf8' }), 'false', name);
    }
  });
}

test('compiled code that is cut, of another program or none at all is passed over, and the program is right', {
  skip,
}, async () => {
  const [, node = ''] = nodes.at(-1) ?? [];
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  const dist = await install(home);
  postern(node, home, ['token', 'work']);
  const [name = ''] = await kept(dist);
  const file = join(dist, name);
  const whole = await readFile(file);
  for (const spoil of [
    () => truncate(file, 1000),
    () => writeFile(file, ''),
    () => writeFile(file, whole.fill(0x5a, 4, 8)),
    () => writeFile(file, 'no code at all'.repeat(100)),
  ]) {
    await spoil();
    assert.equal(postern(node, home, ['token', 'work']), `${canary}\n`);
  }
});

test('nobody else may write what is kept; nothing is kept with flags of V8, nor where the program is another’s', {
  skip: skip || (process.getuid?.() === 0 ? false : 'only root can be another user'),
}, async () => {
  const [, node = ''] = nodes.at(-1) ?? [];
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  const dist = await install(home);
  postern(node, home, ['token', 'work'], { NODE_OPTIONS: '--max-old-space-size=300' });
  assert.deepEqual(await kept(dist), []);
  await chmod(home.path, 0o755);
  const asAnother = spawnSync(node, [join(home.path, 'bin', 'postern.js'), '--help'], {
    env: { PATH: home.env['PATH'], HOME: '/nonexistent' },
    uid: 65_534,
    gid: 65_534,
    encoding: 'utf8',
  });
  assert.match(asAnother.stdout, /Usage/, asAnother.stderr);
  assert.deepEqual(await kept(dist), []);
  const loose = ['-c', 'umask 0; exec "$@"', 'sh', node, join(home.path, 'bin', 'postern.js'), 'token', 'work'];
  execFileSync('sh', loose, { env: home.env });
  const [name = ''] = await kept(dist);
  assert.equal((await stat(join(dist, name))).mode & 0o777, 0o644);
});
