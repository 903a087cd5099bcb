import assert from 'node:assert/strict';
import { chmod, chown, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temporary.js';
import { mountOf, openStand } from './stand.js';

/** Fails where the proxy listens there, or is refused for another reason. */
async function refusedAt(socket: string, why: RegExp): Promise<void> {
  const opened = await openStand(mountOf('http://127.0.0.1:9/mcp'), { listen: { socket } }).catch((error) => error);
  if (!(opened instanceof Error)) {
    await opened.proxy[Symbol.asyncDispose]();
    assert.fail(`a proxy listens at ${socket}`);
  }
  assert.match(opened.message, why);
}

test('a folder that others may write to, or that is another user’s, is no place for a socket [A-213]', async () => {
  await using folder = await temporaryFolder();
  const others = /others may write to its folder/;
  for (const mode of [0o770, 0o775, 0o707, 0o777, 0o1777]) {
    const path = join(folder.path, `m${mode.toString(8)}`);
    await mkdir(path);
    await chmod(path, mode);
    await refusedAt(join(path, 'p.sock'), others);
  }
  const foreign = join(folder.path, 'foreign');
  await mkdir(foreign, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(foreign, 1, 1);
  await refusedAt(join(isRoot ? foreign : '/usr', 'p.sock'), others);
  await refusedAt(join(folder.path, 'none', 'p.sock'), /its folder does not exist/);
});

test('what is no socket stays as it is, and so does a socket that somebody listens on [A-213]', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'file');
  await writeFile(file, 'mine');
  await refusedAt(file, /something else is there/);
  assert.equal(await readFile(file, 'utf8'), 'mine');
  const link = join(folder.path, 'link');
  await symlink(join(folder.path, 'nowhere'), link);
  await refusedAt(link, /something else is there/);
  assert.ok((await lstat(link)).isSymbolicLink());
  const live = join(folder.path, 'live');
  const other = createServer().unref();
  await new Promise<void>((resolve) => {
    other.listen(live, resolve);
  });
  const { ino } = await lstat(live);
  await refusedAt(live, /another process listens there/);
  assert.equal((await lstat(live)).ino, ino);
  other.close();
});
