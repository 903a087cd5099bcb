import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../../support/needs.js';
import { Secret } from '../../support/product.js';
import { fileStoreSession, keyOf } from './file-store-session.js';

const skip = needs('root');

test('on a full disk a write fails, says so, and the older secret stays', { skip }, async () => {
  await using session = await fileStoreSession();
  await mkdir(session.sealed, { mode: 0o700 });
  const options = ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', session.sealed];
  assert.equal(spawnSync('mount', options).status, 0, 'root can mount a small file system');
  try {
    const store = session.store();
    await store.write(keyOf('a'), new Secret('older'));
    await writeFile(join(session.sealed, 'filling'), Buffer.alloc(44_000));
    await assert.rejects(store.write(keyOf('a'), new Secret('x'.repeat(60_000))), {
      code: 'state_unwritable',
      exit: 7,
      message: /the disk is full/,
    });
    assert.equal((await session.store().read(keyOf('a')))?.reveal(), 'older');
    const names = [`${keyOf('a')}.sealed`, 'filling', 'head'];
    assert.deepEqual((await readdir(session.sealed)).sort(), names.sort(), 'no half file is left');
  } finally {
    spawnSync('umount', [session.sealed]);
  }
});
