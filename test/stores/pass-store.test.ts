import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { HelperStore } from '../../src/stores/helper-store.js';
import { needs } from '../support/needs.js';
import { Secret } from '../support/product.js';
import { temporaryFolder } from '../support/temporary.js';

const skip = needs('docker-credential-pass');
const key = 'ab'.repeat(32);
const value = '{"token":"canary-in-pass","line":"\\n"}';

/** A password store of `pass`, its GPG key under this passphrase, in a folder of its own. */
async function openPass(passphrase: string) {
  const folder = await temporaryFolder();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path,
    GNUPGHOME: join(folder.path, 'gnupg'),
    LANG: 'C.UTF-8',
  };
  await mkdir(env.GNUPGHOME, { mode: 0o700 });
  const options = { env, stdio: 'pipe' } as const;
  const quietly = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', passphrase];
  execFileSync('gpg', [...quietly, '--quick-gen-key', 'postern-test', 'default', 'default', 'never'], options);
  execFileSync('pass', ['init', 'postern-test'], options);
  const store = (limitMs: number) =>
    new HelperStore({ kind: 'helper:pass', env, signal: new AbortController().signal, limitMs });
  return {
    folder: folder.path,
    store,
    forgetPassphrase: () => execFileSync('gpgconf', ['--kill', 'gpg-agent'], options),
    [Symbol.asyncDispose]: async () => {
      execFileSync('gpgconf', ['--kill', 'gpg-agent'], options);
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('docker-credential-pass keeps what is written, encrypted, and nothing after it is removed [R-5.8b]', {
  skip,
}, async () => {
  await using pass = await openPass('');
  const store = pass.store(60_000);
  await store.ready();
  assert.equal(await store.read(key), undefined);
  await store.write(key, new Secret('older'));
  await store.write(key, new Secret(value));
  assert.equal((await pass.store(60_000).read(key))?.reveal(), value);
  const kept = join(pass.folder, '.password-store', 'docker-credential-helpers');
  const files = (await readdir(kept, { recursive: true })).filter((name) => name.endsWith('.gpg'));
  for (const name of files) assert.doesNotMatch(await readFile(join(kept, name), 'latin1'), /canary/);
  assert.equal(await store.remove(key), true);
  assert.equal(await store.remove(key), false);
  assert.equal(await store.read(key), undefined);
});

test('[A-195] a GPG key that wants its passphrase, and nobody to type it: ended in time, exit 7, nothing is lost', {
  skip,
}, async () => {
  await using pass = await openPass('a passphrase');
  await pass
    .store(60_000)
    .write(key, new Secret(value))
    .catch(() => undefined); // reading it again needs the passphrase
  pass.forgetPassphrase();
  await assert.rejects(pass.store(10_000).ready(), (error: { exit?: number }) => error.exit === 7);
  const store = pass.store(10_000);
  for (let times = 0; times < 2; times += 1) {
    await assert.rejects(store.read(key), (error: { code?: string; exit?: number; remedy?: string }) => {
      assert.match(error.code ?? '', /^store_(failed|timeout)$/);
      assert.equal(error.exit, 7);
      assert.match(error.remedy ?? '', /docker-credential-pass|unlock/i);
      return true;
    });
  }
});
