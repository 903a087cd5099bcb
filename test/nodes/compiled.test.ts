import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';
import { storeLogin } from '../support/stored-login.js';
import { nodes, nodesMissing } from './nodes.js';

const skip = nodesMissing() || needs('gnome-keyring', 'dbus');
const canary = 'canary-of-the-compiled-code';

for (const [line, node] of nodes) {
  test(`Node.js ${line}: what is compiled is kept with the program, closed to others, and holds no secret`, {
    skip,
  }, async () => {
    await using keyring = await startKeyring();
    await using home = await makeHome(keyring.env);
    for (const name of ['bin', 'dist', 'package.json']) {
      const filter = (path: string) => !path.endsWith('compiled');
      await cp(join(repositoryRoot, name), join(home.path, name), { recursive: true, filter });
    }
    await symlink(join(repositoryRoot, 'node_modules'), join(home.path, 'node_modules'));
    const expiresAt = Date.now() + 3_600_000;
    await storeLogin(home, { server: 'https://a.example/mcp', name: 'work', accessToken: canary, expiresAt });
    const postern = (...words: readonly string[]) =>
      execFileSync(node, [join(home.path, 'bin', 'postern.js'), ...words], { env: home.env, encoding: 'utf8' });
    for (let run = 0; run < 2; run += 1) {
      assert.equal(postern('token', 'work'), `${canary}\n`);
      assert.match(postern('status'), /a\.example/);
    }
    const folder = join(home.path, 'dist', 'compiled');
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    assert.ok(kept.length > 5, String(kept.length));
    for (const { parentPath, name } of kept) assert.ok(!(await readFile(join(parentPath, name))).includes(canary));
  });
}
