import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';
import { storeLogin } from '../support/stored-login.js';

const dist = join(repositoryRoot, 'dist');

async function unpacked(name: string) {
  const packed = await readFile(join(dist, `${name}.packed`));
  const end = 8 + packed.readUInt32LE(0);
  return { packed, end, source: packed.toString('latin1', 8, end) };
}

for (const name of ['hot-path', 'main', 'http-client']) {
  test(`${name} is packed with its own code, compiled by this very version of V8`, async () => {
    const { packed, end, source } = await unpacked(name);
    assert.ok(source.startsWith('(function (exports, require, module, __filename, __dirname, __import) {'));
    assert.equal(end % 8, 0);
    assert.equal(new Script(source, { cachedData: packed.subarray(end) }).cachedDataRejected, false);
  });
}

test('compiled code of another version of V8 is passed over, and the program goes on', {
  skip: needs('gnome-keyring', 'dbus'),
}, async () => {
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  const expiresAt = Date.now() + 3_600_000;
  await storeLogin(home, {
    server: 'https://a.example/mcp',
    name: 'work',
    accessToken: 'token-1',
    expiresAt,
  });
  await cp(join(repositoryRoot, 'bin'), join(home.path, 'bin'), { recursive: true });
  await cp(join(repositoryRoot, 'package.json'), join(home.path, 'package.json'));
  await mkdir(join(home.path, 'dist'));
  const run = (words: readonly string[]) => {
    const command = [join(home.path, 'bin', 'postern.js'), ...words];
    const { stdout, stderr } = spawnSync(process.execPath, command, { env: home.env, encoding: 'utf8' });
    return [stdout, stderr];
  };
  const spoil = async (name: string) => {
    const { packed, end, source } = await unpacked(name);
    packed.fill(0x5a, end + 4, end + 8); // V8's hash of its version
    assert.equal(new Script(source, { cachedData: packed.subarray(end) }).cachedDataRejected, true);
    await writeFile(join(home.path, 'dist', `${name}.packed`), packed);
  };
  await spoil('hot-path'); // and there is no other program beside it yet that could answer
  assert.deepEqual(run(['token', 'work']), ['token-1\n', '']);
  assert.deepEqual(run(['credential', 'token', 'work']), ['token-1\n', '']);
  await spoil('main');
  assert.match(run(['status']).join(), /a\.example/);
});
