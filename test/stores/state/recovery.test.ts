import assert from 'node:assert/strict';
import { chmod, copyFile, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createRecovery } from '../../../src/stores/state/recovery.js';
import { failureOf } from '../../support/http.js';
import { assertMode } from '../../support/modes.js';
import { Secret } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';

const [key, other] = ['a'.repeat(64), 'b'.repeat(64)];
const spent = new Secret('refresh-token-just-spent');
const value = new Secret('{"accessToken":"canary-\u00e4\u20ac"}');

async function place() {
  const folder = await temporaryFolder();
  const directory = `${folder.path}/recovery`;
  const recovery = createRecovery({ directory });
  return {
    recovery,
    keep: async () => {
      await using refresh = await recovery.begin(key, { bytes: 100, spent });
      await refresh.keep(value);
    },
    path: (name: string) => `${directory}/${name}.sealed`,
    directory,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('[R-5.8b] what is kept comes back with the same secret, and with no other; on disk it is sealed, for us alone', async () => {
  await using at = await place();
  assert.equal(await at.recovery.find(key, spent), undefined);
  await at.keep();
  assert.equal((await at.recovery.find(key, spent))?.reveal(), value.reveal());
  assert.equal(await at.recovery.find(key, new Secret('another')), undefined);
  const text = await readFile(at.path(key), 'utf8');
  assert.doesNotMatch(text, /canary|accessToken|refresh-token/);
  assertMode((await stat(at.path(key))).mode, 0o600);
  assertMode((await stat(at.directory)).mode, 0o700);
  await at.keep();
  assert.notEqual(await readFile(at.path(key), 'utf8'), text, 'salt and nonce are fresh each time');
  await at.recovery.forget(key);
  await at.recovery.forget(key);
  assert.equal(await at.recovery.find(key, spent), undefined);
});

test('[A-169] a sealed file that was changed, cut off or put in another one’s place opens nothing', async () => {
  await using at = await place();
  await at.keep();
  await copyFile(at.path(key), at.path(other));
  assert.equal(await at.recovery.find(other, spent), undefined, 'swapped');
  const whole = await readFile(at.path(key), 'latin1');
  const [mark = '', version = '', ...parts] = whole.split(' ');
  for (const [number, part] of parts.entries()) {
    const changed = `${part[0] === 'A' ? 'B' : 'A'}${part.slice(1)}`;
    for (const other of [changed, part.slice(0, 6), '']) {
      await writeFile(at.path(key), [mark, version, ...parts.with(number, other)].join(' '));
      assert.equal(await at.recovery.find(key, spent), undefined, `${number}: ${other}`);
    }
  }
  for (const text of ['', '{', mark, whole.replace(' 1 ', ' 2 '), whole.slice(0, 40), whole.slice(0, -1)]) {
    await writeFile(at.path(key), text);
    assert.equal(await at.recovery.find(key, spent), undefined, text);
  }
});

test('a sealed file that others can read, or that is a link, is not used', async () => {
  await using at = await place();
  await at.keep();
  await chmod(at.path(key), 0o644);
  await failureOf(at.recovery.find(key, spent), 'state_unsafe');
  await chmod(at.path(key), 0o600);
  await rename(at.path(key), at.path(other));
  await symlink(at.path(other), at.path(key));
  await failureOf(at.recovery.find(key, spent), 'state_unsafe');
});
