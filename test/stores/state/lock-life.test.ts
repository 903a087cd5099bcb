import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { type LifeFiles, livesOn } from '../../../src/stores/state/lock-file.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import { Failure } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from './real-clock.js';

const never = new AbortController().signal;

/** Files as Windows has them: what is open with nobody else cannot be opened or removed. */
function windowsFiles() {
  const open = new Map<number, string>();
  const use: string[] = [];
  let number = 0;
  let isMarked = false; // what was opened last
  const refuseOpen = (path: string) => {
    if ([...open.values()].includes(path)) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
  };
  const files: LifeFiles = {
    make: (path) => {
      use.push('make');
      writeFileSync(path, '', { flag: 'wx' });
      number += 1;
      open.set(number, path);
      return number;
    },
    open: (path) => {
      use.push('open');
      refuseOpen(path);
      isMarked = readFileSync(path).length > 0;
      return 0;
    },
    mark: (file) => writeFileSync(open.get(file) ?? '', '-'),
    isMarked: () => isMarked,
    close: (file) => void open.delete(file),
    remove: (path) => {
      refuseOpen(path);
      unlinkSync(path);
    },
  };
  /** What the system does when the process that made it dies. */
  const dies = (): readonly string[] => {
    const paths = [...open.values()];
    open.clear();
    return paths;
  };
  return { lives: livesOn('win32', files), files, use, open, dies };
}

async function openLocks() {
  const folder = await temporaryFolder();
  const windows = windowsFiles();
  const directory = `${folder.path}/locks`;
  const locks = createLocks({ directory, clock: realClock, lives: windows.lives });
  const take = async () => await locks.acquire('counter', { waitMs: 0, signal: never });
  const isBusy = (error: unknown) => error instanceof Failure && error.code === 'busy';
  return { ...windows, directory, take, isBusy, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('[A-139] on Windows a claim whose process has died is taken over, though its number is a living one’s', async () => {
  await using at = await openLocks();
  await at.take();
  await assert.rejects(at.take(), at.isBusy);
  const [life] = at.dies(); // its number is this process’s own
  assert.ok(life !== undefined && existsSync(life));
  {
    await using lock = await at.take();
    assert.equal(lock.isHeld(), true);
    await assert.rejects(at.take(), at.isBusy);
  }
  assert.deepEqual(readdirSync(at.directory), []);
  assert.equal(at.open.size, 0);
});

test('[A-139] a claim without a life, as earlier releases make them, is held for as long as its process lives', async () => {
  await using at = await openLocks();
  await at.take();
  for (const life of at.dies()) unlinkSync(life);
  await assert.rejects(at.take(), at.isBusy);
});

test('[A-139] many at once, each dying now and then with the lock: one has it at a time', async () => {
  await using at = await openLocks();
  let [inside, most, done] = [0, 0, 0];
  const work = async () => {
    for (let time = 0; time < 20; time += 1) {
      const lock = await at.take().catch((error) => {
        if (!at.isBusy(error)) throw error;
      });
      if (lock === undefined) {
        await realClock.sleep(1, never);
        continue;
      }
      inside += 1;
      most = Math.max(most, inside);
      await realClock.sleep(1, never);
      inside -= 1;
      done += 1;
      if (time % 3 === 0) at.dies();
      else await lock[Symbol.asyncDispose]();
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  assert.equal(most, 1);
  assert.ok(done > 0);
  const last = await at.take();
  await last[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(at.directory), []);
});

test('a life ends once; what goes wrong when it is looked at or cleared shows nothing', () => {
  const done: string[] = [];
  let problem = 'EBUSY';
  const fail = () => {
    throw Object.assign(new Error(problem), { code: problem });
  };
  const closing = (file: number) => void done.push(`close ${file}`);
  const lives = livesOn('win32', {
    make: () => 7,
    open: fail,
    mark: fail,
    isMarked: fail,
    close: closing,
    remove: fail,
  });
  const life = lives.begin('x');
  life.end(true);
  life.end(false);
  assert.deepEqual(done, ['close 7']);
  for (problem of ['EBUSY', 'EPERM', 'EACCES', 'ENOENT', 'EMFILE', 'UNKNOWN']) assert.equal(lives.isOver('x'), false);
  lives.clear('x');
});

test('[A-139] a claim that its holder has removed is nobody’s to break, though it can still be read and its life is over', async () => {
  await using at = await openLocks();
  const removals: string[] = [];
  const kept = livesOn('win32', { ...at.files, remove: (path) => void removals.push(path) });
  const locks = createLocks({ directory: at.directory, clock: realClock, lives: kept });
  const lock = await locks.acquire('counter', { waitMs: 0, signal: never });
  const path = `${at.directory}/counter.lock`;
  const claim = readFileSync(path);
  await lock[Symbol.asyncDispose]();
  assert.equal(removals.length, 1, 'its life stays, as when somebody has it open');
  writeFileSync(path, claim, { mode: 0o600 });
  await assert.rejects(at.take(), at.isBusy);
});

test('elsewhere no file is made, opened or removed for it', async () => {
  for (const platform of ['linux', 'darwin']) {
    const { files, use } = windowsFiles();
    await using folder = await temporaryFolder();
    const file = `${folder.path}/file`;
    writeFileSync(file, '');
    const lives = livesOn(platform, files);
    lives.begin(file).end(true);
    assert.equal(lives.isOver(file), false);
    lives.clear(file);
    assert.ok(existsSync(file));
    assert.deepEqual(use, []);
  }
});
