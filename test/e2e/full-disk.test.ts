import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { authorizationUrlOf, refreshTokensSent } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { runProgram, startProgram } from '../support/program.js';
import { openStage } from './stage.js';

const skip = needs('root', 'gnome-keyring');

/** A login in sealed files whose state lies on a disk of 256 KiB; its token lives for a minute and is refreshed at each use. */
async function openOnSmallDisk() {
  const stage = await openStage({ accessTokenSeconds: 50 });
  const keyFile = join(stage.home.path, 'key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const env = { ...stage.home.env, POSTERN_STORE: 'file', POSTERN_STORE_KEY_FILE: keyFile };
  const home = { ...stage.home, env };
  const state = join(home.path, 'state', 'postern');
  await mkdir(state, { recursive: true, mode: 0o700 });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', state]);
  assert.equal(mounted.status, 0, 'root can mount a small file system');
  await using program = startProgram(home, ['login', stage.sandbox.serverUrl, '--no-browser']);
  await walkLogin(await authorizationUrlOf(program));
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
  const filling = join(state, 'filling');
  return {
    stage,
    state,
    run: (...args: string[]) => runProgram(home, args),
    /** Leaves this many pages of 4 KiB. */
    fill: async (left: number) => {
      const { bavail, bsize } = await statfs(state);
      const file = await open(filling, 'w');
      await file.writeFile(randomBytes(Math.max(0, bavail - left) * bsize));
      await file.close();
    },
    free: () => rm(filling),
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', [state]);
      await stage[Symbol.asyncDispose]();
    },
  };
}

test('[A-151][A-137] on a disk with ever less room a refresh is not asked for, or what comes of it is kept: nothing is lost', {
  skip,
}, async (context) => {
  await using at = await openOnSmallDisk();
  const { serverUrl } = at.stage.sandbox;
  const seen: string[] = [];
  for (let left = 0; left <= 14; left += 1) {
    await at.fill(left);
    const before = refreshTokensSent(at.stage).length;
    const { code, stdout, stderr } = await at.run('token', serverUrl);
    const asked = refreshTokensSent(at.stage).length - before;
    assert.ok(code === 0 || code === 7, `${left} pages left: ${stderr}`);
    assert.equal(stdout === '', code !== 0);
    if (left === 0) assert.deepEqual([code, asked], [0, 0], 'the token at hand still lives');
    const locks = await readdir(join(at.state, 'locks'));
    assert.deepEqual(locks, [], 'nothing half is left of a lock');
    if (code === 7) assert.match(stderr, /the disk is full \(ENOSPC\).*Make room/s);
    seen.push(`${left}: exit ${code}, ${asked} asked`);
    await at.free();
    const after = await at.run('token', serverUrl);
    assert.equal(after.code, 0, `${left} pages left, then room again: ${after.stderr}`);
  }
  context.diagnostic(seen.join('; '));
  const used = refreshTokensSent(at.stage);
  assert.equal(new Set(used).size, used.length, 'no refresh token was used twice');
});

test('[A-151] on a full or read-only disk: no login page, exit 7, the folder and the reason are named; status works', {
  skip,
}, async () => {
  await using at = await openOnSmallDisk();
  const { serverUrl } = at.stage.sandbox;
  await at.fill(0);
  const full = await at.run('login', serverUrl, '--no-browser', '--force');
  assert.equal(full.code, 7);
  assert.match(full.stderr, /could not be written: the disk is full/);
  assert.doesNotMatch(full.stderr, /response_type=code/);
  await at.free();
  spawnSync('mount', ['-o', 'remount,ro', at.state]);
  const readOnly = await at.run('login', serverUrl, '--no-browser', '--force');
  assert.equal(readOnly.code, 7);
  assert.match(readOnly.stderr, /could not be written: the file system is read-only/);
  assert.doesNotMatch(readOnly.stderr, /response_type=code/);
  const { code, stdout } = await at.run('status', '--json');
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).logins.length, 1);
});
