import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, cp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { runHere } from '../support/in-process.js';
import { startSandbox } from '../support/start-sandbox.js';

/** Two logins of a machine's own in sealed files. */
async function openSealed() {
  const clients = [{ client_id: 'machine', client_secret: 'secret-of-the-machine', redirect_uris: [] }];
  const sandbox = await startSandbox({ clients });
  const bare = await makeHome();
  const keyFile = join(bare.path, 'key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const home = { ...bare, env: { ...bare.env, POSTERN_STORE_KEY_FILE: keyFile } };
  for (const account of ['one', 'two']) {
    const words = ['login', sandbox.serverUrl, '--account', account, '--store', 'file', '--client-credentials'];
    const input = 'secret-of-the-machine\n';
    const { code, stderr } = await runHere(
      home,
      [...words, '--client-id', 'machine', '--client-secret-stdin', '--authorization-server', sandbox.issuer],
      input,
    );
    assert.equal(code, 0, stderr);
  }
  const state = join(home.path, 'state', 'postern');
  const { logins } = JSON.parse(await readFile(join(state, 'logins.json'), 'utf8'));
  const pathOf = (account: string) => {
    const { key } = logins.find((login: { account: string }) => login.account === account);
    return join(state, 'sealed', `${key}.sealed`);
  };
  return {
    home,
    sandbox,
    state,
    files: [pathOf('one'), pathOf('two')] as const,
    token: (as: Home = home) => runHere(as, ['token', sandbox.serverUrl, '--account', 'one']),
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await bare[Symbol.asyncDispose]();
    },
  };
}

test('[A-196][A-200][A-201][A-202] a sealed file that is changed, cut, swapped, a link, or open to others: exit 7 with the remedy, and kept', async () => {
  await using sealed = await openSealed();
  const [file, other] = sealed.files;
  const good = await readFile(file);
  const elsewhere = join(sealed.home.path, 'elsewhere');
  const changed = Buffer.from(good);
  changed[60] = (changed[60] ?? 0) === 65 ? 66 : 65;
  const cases: readonly (readonly [what: string, damage: () => Promise<unknown>, said: RegExp, remedy: RegExp])[] = [
    ['changed', () => writeFile(file, changed), /is damaged/, /good copy of it, or log in again/],
    ['cut', () => writeFile(file, good.subarray(0, 50)), /is damaged/, /good copy of it, or log in again/],
    ['swapped', async () => writeFile(file, await readFile(other)), /is damaged/, /good copy of it, or log in again/],
    ['world-readable', () => chmod(file, 0o644), /other users have access to it \(mode 644\)/, /chmod go-rwx/],
    [
      'a link',
      async () => {
        await rename(file, elsewhere);
        await symlink(elsewhere, file);
      },
      /symbolic link/,
      /ls -ld/,
    ],
  ];
  for (const [what, damage, said, remedy] of cases) {
    await damage();
    const { code, stdout, stderr } = await sealed.token();
    assert.deepEqual([code, stdout], [7, ''], what);
    assert.match(stderr, said, what);
    assert.match(stderr, remedy, what);
    const second = await runHere(sealed.home, ['token', sealed.sandbox.serverUrl, '--account', 'two']);
    assert.equal(second.code, 0, `${what}: the other login works`);
    await rm(file);
    await writeFile(file, good, { mode: 0o600 });
    assert.equal((await sealed.token()).code, 0, `${what}: put back, it works again`);
  }
});

test('[A-208] a home that was copied to another machine, without the key or with another one: exit 7, explained, nothing changed', async () => {
  await using sealed = await openSealed();
  await using copy = await makeHome();
  const state = join(copy.path, 'state', 'postern');
  await cp(sealed.state, state, { recursive: true });
  await chmod(state, 0o700);
  const otherKey = join(copy.path, 'other-key');
  await writeFile(otherKey, randomBytes(32), { mode: 0o600 });
  const before = await readdir(join(state, 'sealed'));
  const keyless = await sealed.token({ ...copy, env: copy.env });
  assert.equal(keyless.code, 7);
  assert.match(keyless.stderr, /were made with a key file, and POSTERN_STORE_KEY_FILE does not name it here/);
  const wrong = await sealed.token({ ...copy, env: { ...copy.env, POSTERN_STORE_KEY_FILE: otherKey } });
  assert.equal(wrong.code, 7);
  assert.match(wrong.stderr, /do not open with this key file; they were left as they are/);
  assert.match(wrong.stderr, /Set POSTERN_STORE_KEY_FILE to the key file that they were made with/);
  assert.deepEqual(await readdir(join(state, 'sealed')), before);
});

test('[A-271][A-197] what a newer release wrote, list or login: exit 7, update, and not a byte of it is changed', async () => {
  await using sealed = await openSealed();
  const index = join(sealed.state, 'logins.json');
  const text = await readFile(index, 'utf8');
  await writeFile(index, text.replace('"version": 1', '"version": 2'));
  const newer = await readFile(index, 'utf8');
  assert.notEqual(newer, text);
  const { serverUrl } = sealed.sandbox;
  for (const words of [['token', serverUrl], ['status'], ['logout', '--all'], ['move', 'file']]) {
    const { code, stderr } = await runHere(sealed.home, words);
    assert.equal(code, 7, `${words}: ${stderr}`);
    assert.match(stderr, /Update postern to the newest release/);
  }
  assert.equal(await readFile(index, 'utf8'), newer);
  await writeFile(index, text);
  assert.equal((await sealed.token()).code, 0);
});
