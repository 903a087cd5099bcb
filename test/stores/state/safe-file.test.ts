import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ensurePrivateFolder, readPrivateFile } from '../../../src/stores/private-file.js';
import { replacePrivateFile } from '../../../src/stores/state/safe-file.js';
import { assertMode } from '../../support/modes.js';
import { temporaryFolder } from '../../support/temporary.js';

const isRoot = process.geteuid?.() === 0;
const notRoot = isRoot ? false : 'only root can give files away';
const text = (path: string): string => {
  const file = readPrivateFile(path, 1000);
  return file.ok ? Buffer.from(file.bytes).toString() : file.problem;
};

test('[A-137] [A-203] a file is replaced as a whole, whatever the umask, and nothing else is left', async () => {
  for (const umask of [0o000, 0o022, 0o077, 0o777]) {
    await using folder = await temporaryFolder();
    const before = process.umask(umask === 0o777 ? 0o077 : umask);
    try {
      const path = `${folder.path}/a/b/file`;
      await ensurePrivateFolder(`${folder.path}/a/b`);
      process.umask(umask);
      await replacePrivateFile(path, 'one');
      await replacePrivateFile(path, 'two');
      assert.equal(text(path), 'two');
      assertMode(statSync(path).mode, 0o600);
      assertMode(statSync(`${folder.path}/a`).mode, 0o700);
      assert.deepEqual(readdirSync(`${folder.path}/a/b`), ['file']);
    } finally {
      process.umask(before);
    }
  }
});

test('[A-202] a planted link, FIFO, folder or open file is never read', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string): string => `${folder.path}/${name}`;
  writeFileSync(at('victim'), 'victim', { mode: 0o600 });
  symlinkSync(at('victim'), at('link'));
  execFileSync('mkfifo', ['-m', '600', at('fifo')]);
  mkdirSync(at('folder'));
  writeFileSync(at('readable'), 'x');
  chmodSync(at('readable'), 0o640);
  writeFileSync(at('large'), 'x'.repeat(1001), { mode: 0o600 });
  for (const name of ['link', 'fifo', 'folder', 'readable']) assert.equal(text(at(name)), 'unsafe', name);
  assert.equal(text(at('large')), 'too_large');
  chmodSync(at('large'), 0o640);
  assert.equal(text(at('large')), 'unsafe', 'who else can write there counts more than how much');
  assert.equal(text(at('none')), 'absent');
  assert.equal(text(at('victim')), 'victim');
  linkSync(at('victim'), at('second-name'));
  assert.equal(text(at('victim')), 'unsafe');
});

test('[A-202] nothing is written through what stands in the file’s or the temporary file’s place', async () => {
  await using folder = await temporaryFolder();
  await using elsewhere = await temporaryFolder();
  const victim = `${elsewhere.path}/victim`;
  writeFileSync(victim, 'kept');
  const path = `${folder.path}/file`;
  symlinkSync(victim, path);
  symlinkSync(victim, `${folder.path}/.file.new`);
  await replacePrivateFile(path, 'ours');
  assert.equal(readFileSync(victim, 'utf8'), 'kept');
  assert.equal(text(path), 'ours');
  linkSync(path, `${elsewhere.path}/second-name`);
  await replacePrivateFile(path, 'new');
  assert.equal(readFileSync(`${elsewhere.path}/second-name`, 'utf8'), 'ours');
});

test('[A-201] a folder that others can enter, a link or a file in its place: refused, left as it is', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string): string => `${folder.path}/${name}`;
  for (const mode of [0o777, 0o755, 0o750, 0o1777, 0o711]) {
    mkdirSync(at(`${mode}`));
    chmodSync(at(`${mode}`), mode);
    await assert.rejects(ensurePrivateFolder(at(`${mode}`)), { code: 'state_unsafe', exit: 7 });
    await assert.rejects(replacePrivateFile(at(`${mode}/file`), 'x'), { code: 'state_unsafe' });
    assert.equal(existsSync(at(`${mode}/file`)), false);
    assert.equal(statSync(at(`${mode}`)).mode & 0o7777, mode);
  }
  mkdirSync(at('private'), { mode: 0o700 });
  writeFileSync(at('private/file'), 'x', { mode: 0o600 });
  symlinkSync(at('private'), at('link'));
  await assert.rejects(ensurePrivateFolder(at('link')), { code: 'state_unsafe' });
  assert.equal(text(at('link/file')), 'unsafe');
  await assert.rejects(ensurePrivateFolder(at('private/file')), { code: 'state_unwritable', exit: 7 });
  chmodSync(at('private'), 0o701);
  assert.equal(text(at('private/file')), 'unsafe');
});

test('[A-201] a folder in one where others may rename it is refused; a sticky one will do', async () => {
  await using folder = await temporaryFolder();
  const parent = `${folder.path}/parent`;
  const path = `${parent}/ours`;
  mkdirSync(parent);
  await ensurePrivateFolder(path);
  writeFileSync(`${path}/file`, 'x', { mode: 0o600 });
  for (const mode of [0o777, 0o775, 0o770, 0o772]) {
    chmodSync(parent, mode);
    await assert.rejects(ensurePrivateFolder(path), { code: 'state_unsafe', exit: 7 }, mode.toString(8));
    await assert.rejects(replacePrivateFile(`${path}/file`, 'y'), { code: 'state_unsafe' }, mode.toString(8));
    assert.equal(text(`${path}/file`), 'unsafe', mode.toString(8));
  }
  for (const mode of [0o1777, 0o1770, 0o755, 0o700]) {
    chmodSync(parent, mode);
    await ensurePrivateFolder(path);
    assert.equal(text(`${path}/file`), 'x', mode.toString(8));
  }
});

test('[A-201] the parent’s group may write where it is the user’s own group, as some systems set homes up, and no other', {
  skip: notRoot,
}, async () => {
  await using folder = await temporaryFolder();
  chmodSync(folder.path, 0o755);
  const [user, parent] = [54_321, `${folder.path}/home`];
  // That user may not read this checkout.
  for (const room of ['core', 'stores']) {
    const built = fileURLToPath(new URL(`../../../src/${room}`, import.meta.url));
    cpSync(built, `${folder.path}/src/${room}`, { recursive: true });
  }
  writeFileSync(`${folder.path}/package.json`, '{"type":"module"}');
  mkdirSync(`${parent}/ours`, { recursive: true });
  chmodSync(`${parent}/ours`, 0o700);
  chownSync(`${parent}/ours`, user, user);
  const script = `import { folderProblem } from './src/stores/private-file.js'; console.log(folderProblem('home/ours') ?? 'fine');`;
  const judged = (group: number) => {
    chownSync(parent, user, group);
    chmodSync(parent, 0o775);
    const words = ['--input-type=module', '-e', script];
    return execFileSync(process.execPath, words, { cwd: folder.path, uid: user, gid: user }).toString().trim();
  };
  assert.equal(judged(user), 'fine');
  assert.match(judged(user + 1), /other users can write/);
  assert.match(judged(0), /other users can write/);
});

test('[A-201] [A-202] a folder, file or parent of another user is refused', { skip: notRoot }, async () => {
  await using folder = await temporaryFolder();
  const parent = `${folder.path}/parent`;
  await ensurePrivateFolder(`${parent}/ours`);
  writeFileSync(`${parent}/ours/file`, 'x', { mode: 0o600 });
  chownSync(`${parent}/ours/file`, 65_534, 0);
  assert.equal(text(`${parent}/ours/file`), 'unsafe');
  chownSync(`${parent}/ours/file`, 0, 0);
  assert.equal(text(`${parent}/ours/file`), 'x');
  chownSync(parent, 65_534, 65_534);
  await assert.rejects(ensurePrivateFolder(`${parent}/ours`), { code: 'state_unsafe' });
  chownSync(parent, 0, 0);
  chownSync(`${parent}/ours`, 65_534, 65_534);
  await assert.rejects(ensurePrivateFolder(`${parent}/ours`), { code: 'state_unsafe' });
});
