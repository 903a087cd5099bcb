import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { notedShims, noteShim, removeNotedShim } from '../../../src/setup/machine/shims.js';
import { temporaryFolder } from '../../support/temporary.js';

const text = '#!/bin/sh\n# Written by postern\nexec postern\n';

test('a shim goes as it was written: one that a person has changed, and a link to one, stay', async () => {
  await using home = await temporaryFolder();
  const records = join(home.path, 'setup');
  await mkdir(records, { mode: 0o700 });
  const at = (name: string) => join(home.path, name);
  for (const name of ['same', 'changed', 'gone', 'link']) {
    await writeFile(at(name), text);
    await noteShim(records, at(name), text);
  }
  await appendFile(at('changed'), 'export MINE=1\n');
  for (const name of ['gone', 'link']) await unlink(at(name));
  await writeFile(at('target'), text);
  await symlink(at('target'), at('link'));
  const removed = new Map<string, boolean>();
  for (const shim of await notedShims(records)) removed.set(shim.path, await removeNotedShim(records, shim));
  const ends = ['same', 'changed', 'gone', 'link'].map((name) => removed.get(at(name)));
  assert.deepEqual(ends, [true, false, false, false]);
  assert.ok(existsSync(at('changed')) && existsSync(at('target')) && !existsSync(at('same')));
  assert.deepEqual(await notedShims(records), []);
});
