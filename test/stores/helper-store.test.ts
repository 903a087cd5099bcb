import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { HelperStore } from '../../src/stores/helper-store.js';
import { safePath } from '../../src/stores/run-program.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { Secret } from '../support/product.js';
import { temporaryFolder } from '../support/temporary.js';

const skip = needs('gnome-keyring', 'docker-credential-secretservice');
const keyOf = (word: string): string => createHash('sha256').update(word).digest('hex');
const value = '{"token":"canary","name":"Zoë 😀","line":"\\n"}';

/** A store over a program `docker-credential-fake` with this shell script. */
async function fakeHelper(script: string, limitMs = 5_000) {
  const folder = await temporaryFolder();
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  const text = `#!/bin/sh\necho "$*" >> ${folder.path}/arguments\nenv > ${folder.path}/environment\n${script}\n`;
  await writeFile(join(bin, 'docker-credential-fake'), text, { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin`, NODE_OPTIONS: '--no-warnings', POSTERN_STORE_KEY_FILE: '/key' };
  const { signal } = new AbortController();
  return {
    folder: folder.path,
    store: new HelperStore({ kind: 'helper:fake', env, signal, limitMs }),
    read: (name: string) => readFile(join(folder.path, name), 'utf8'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** A helper that keeps what it is given in one file. */
const keeper = `file="$(dirname "$0")/../kept"
case $1 in
  store) cat > "$file" ;;
  erase) rm -f "$file" ;;
  get) cat >/dev/null; if [ -f "$file" ]; then cat "$file"; else echo 'credentials not found in native keychain'; exit 1; fi ;;
esac`;

test('docker-credential-secretservice keeps what is written, apart by key, and nothing after it is removed [R-5.8b]', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  const env = { PATH: process.env['PATH'], ...keyring.env, HOME: keyring.folder };
  const open = () =>
    new HelperStore({ kind: 'helper:secretservice', env, signal: new AbortController().signal, limitMs: 5_000 });
  await open().ready();
  assert.equal(await open().read(keyOf('a')), undefined);
  await open().write(keyOf('a'), new Secret('older'));
  await open().write(keyOf('a'), new Secret(value));
  await open().write(keyOf('b'), new Secret('other'));
  assert.equal((await open().read(keyOf('a')))?.reveal(), value);
  assert.equal(await open().remove(keyOf('a')), true);
  assert.equal(await open().remove(keyOf('a')), false);
  assert.equal((await open().read(keyOf('b')))?.reveal(), 'other');
  assert.equal(await open().remove(keyOf('b')), true);
  const listed = execFileSync('docker-credential-secretservice', ['list'], { env, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(listed), {});
  await assert.rejects(open().write(keyOf('a'), new Secret('x'.repeat(65_500))), { code: 'store_too_large' });
});

test('a helper whose own keychain is not to be had fails with what it said; nothing else is tried [A-194]', {
  skip,
}, async () => {
  await using folder = await temporaryFolder();
  const env = { PATH: process.env['PATH'], HOME: folder.path, XDG_RUNTIME_DIR: folder.path };
  const { signal } = new AbortController();
  const store = new HelperStore({ kind: 'helper:secretservice', env, signal, limitMs: 5_000 });
  await assert.rejects(store.ready(), { code: 'store_failed', exit: 7, message: /D-Bus|bus/ });
});

test('no secret is an argument, and our own variables stay behind [R-5.8b]', async () => {
  await using helper = await fakeHelper(keeper);
  await helper.store.write(keyOf('a'), new Secret(value));
  assert.equal((await helper.store.read(keyOf('a')))?.reveal(), value);
  assert.equal(await helper.store.remove(keyOf('a')), true);
  assert.match(await helper.read('arguments'), /^(?:store|get|erase)(?:\n(?:store|get|erase))*\n$/);
  assert.doesNotMatch(await helper.read('environment'), /POSTERN_|NODE_|canary/);
});

test('a helper that hangs is killed with what it has started, and not asked again by this process [A-195]', async () => {
  await using helper = await fakeHelper('sleep 600 & echo $! >> "$(dirname "$0")/../pids"; wait', 300);
  await assert.rejects(helper.store.ready(), { code: 'store_timeout', exit: 7 });
  await assert.rejects(helper.store.read(keyOf('a')), { code: 'store_timeout' });
  assert.equal(await helper.read('arguments'), 'store\n', 'asked once');
  const pid = Number(await helper.read('pids'));
  const state = () => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone Z');
  while (!/ [ZX]( |$)/.test(await state())); // ends when its child is dead, or by the test's limit
});

test('a helper is tried out in whole before a login: one that cannot take away what it keeps is not used [R-5.8b]', async () => {
  await using works = await fakeHelper(keeper);
  await works.store.ready();
  await assert.rejects(works.read('kept'), { code: 'ENOENT' }, 'nothing of the trial stays');
  await using keeps = await fakeHelper(keeper.replace('erase) rm -f "$file"', 'erase) echo no such luck; exit 1'));
  await assert.rejects(keeps.store.ready(), {
    code: 'store_failed',
    message: 'docker-credential-fake erase failed: "no such luck".',
  });
  // Gone all the same: another process has taken it away first.
  await using late = await fakeHelper(keeper.replace('rm -f "$file"', 'rm -f "$file"; exit 1'));
  await late.store.ready();
  await using dies = await fakeHelper('kill -9 $$');
  await assert.rejects(dies.store.ready(), {
    message: 'docker-credential-fake store failed and said nothing that may be shown.',
  });
});

test('an answer that is cut, changed, another’s, or endless is refused; an error never shows the secret [A-196] [A-200]', async () => {
  const answers: readonly (readonly [script: string, code: string])[] = [
    ['cat >/dev/null; yes', 'credential_corrupt'],
    ['echo nonsense', 'credential_corrupt'],
    ['echo "{}"', 'credential_corrupt'],
    [`echo '{"ServerURL":"https://other","Username":"postern","Secret":"x"}'`, 'credential_corrupt'],
    [`echo '{"Username":"somebody","Secret":"x"}'`, 'credential_corrupt'],
    ['echo no luck; exit 1', 'store_failed'],
  ];
  for (const [script, code] of answers) {
    await using helper = await fakeHelper(script);
    await assert.rejects(helper.store.read(keyOf('a')), { code, exit: 7 }, script);
  }
  await using cutting = await fakeHelper(keeper.replace('store) cat', 'store) tr c C'));
  await assert.rejects(cutting.store.write(keyOf('a'), new Secret(value)), { code: 'credential_corrupt' });
  // It gives back a whole item, only with another secret: the one of before is there again.
  const forging = keeper.replace('get) cat >/dev/null;', 'get) cat >/dev/null; sed -i s/canary/CANARY/ "$file";');
  await using changing = await fakeHelper(forging);
  await changing.store.write(keyOf('a'), new Secret('{"the":"older one"}'));
  await assert.rejects(changing.store.write(keyOf('a'), new Secret(value)), {
    code: 'credential_corrupt',
    message: /changed on the way/,
  });
  assert.equal((await changing.store.read(keyOf('a')))?.reveal(), '{"the":"older one"}');
  await using telling = await fakeHelper('cat; exit 1');
  const secret = new Secret('a-secret-of-some-length');
  await assert.rejects(telling.store.write(keyOf('a'), secret), (error: Error) => {
    assert.doesNotMatch(error.message, /a-secret/);
    return true;
  });
});

test('a program is looked for in absolute folders of the PATH only, never in the working folder', async () => {
  await using folder = await temporaryFolder();
  assert.deepEqual(safePath(`.:bin::${folder.path}:/usr/bin`, folder.path), ['/usr/bin']);
  const { signal } = new AbortController();
  const options = { kind: 'helper:none-such', signal, limitMs: 5_000 } as const;
  await assert.rejects(new HelperStore({ ...options, env: { PATH: '/usr/bin' } }).ready(), {
    code: 'store_unavailable',
    exit: 7,
  });
  await assert.rejects(new HelperStore({ ...options, env: {} }).ready(), { code: 'store_unavailable' });
});
