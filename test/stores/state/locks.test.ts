import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLocks } from '../../../src/stores/state/locks.js';
import { Failure } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from './real-clock.js';

const worker = fileURLToPath(new URL('./lock-worker.js', import.meta.url));
const never = new AbortController().signal;

function start(...args: readonly string[]): { child: ChildProcess; lines: string[]; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    child.emit('line');
  });
  return { child, lines, ended: once(child, 'close') };
}

/** A process that has the lock. */
async function holder(folder: string): Promise<ChildProcess> {
  const { child } = start('hold', folder);
  await once(child, 'line');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

const isBusy = (pid: number | undefined) => (error: unknown) =>
  error instanceof Failure && error.code === 'busy' && error.exit === 6 && error.message.includes(`${pid}`);

test('[A-139] [A-204] of ten processes that count under the lock, some of them killed, none loses an update', async () => {
  await using folder = await temporaryFolder();
  writeFileSync(`${folder.path}/counter`, '0');
  const workers = Array.from({ length: 10 }, () => start('count', folder.path, '40'));
  let killed = 0;
  for (const { child, lines } of workers.slice(0, 4)) {
    const last = String(1 + Math.floor(Math.random() * 30));
    child.on('line', () => {
      if (lines.length >= Number(last) && child.signalCode === null && !child.killed) {
        killed += 1;
        child.kill('SIGKILL');
      }
    });
  }
  await Promise.all(workers.map(({ ended }) => ended));
  const made = workers.flatMap(({ lines }) => lines.map(Number));
  const count = Number(await readFile(`${folder.path}/counter`, 'utf8'));
  assert.equal(killed, 4);
  assert.ok(workers.slice(4).every(({ child, lines }) => child.exitCode === 0 && lines.length === 40));
  assert.equal(new Set(made).size, made.length, 'a value was made twice: an update was lost');
  assert.ok(count >= made.length && count <= made.length + killed, `${count} counted, ${made.length} reported`);
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  const last = await locks.acquire('counter', { waitMs: 5_000, signal: never });
  await last[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(`${folder.path}/locks`), [], 'nothing is left behind');
});

test('[A-139] the lock of a killed process is taken over at once', async () => {
  await using folder = await temporaryFolder();
  const child = await holder(folder.path);
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  await assert.rejects(locks.acquire('counter', { waitMs: 50, signal: never }), isBusy(child.pid));
  await end(child);
  await using _lock = await locks.acquire('counter', { waitMs: 0, signal: never });
});

test('[A-139] a paused holder keeps its lock, however old; whoever waits is told its process', {
  skip: process.platform === 'win32' && 'Windows pauses no process',
}, async () => {
  await using folder = await temporaryFolder();
  const child = await holder(folder.path);
  child.kill('SIGSTOP');
  const hoursAgo = new Date(Date.now() - 5 * 3_600_000);
  utimesSync(`${folder.path}/locks/counter.lock`, hoursAgo, hoursAgo);
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  await assert.rejects(locks.acquire('counter', { waitMs: 300, signal: never }), isBusy(child.pid));
  await end(child);
});

test('[A-139] a process number used again, another boot, another container: told from the holder', async () => {
  await using folder = await temporaryFolder();
  const child = await holder(folder.path);
  const path = `${folder.path}/locks/counter.lock`;
  const claim = JSON.parse(await readFile(path, 'utf8'));
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  const isTaken = async (change: object, ageMs = 0) => {
    writeFileSync(path, JSON.stringify({ ...claim, ...change }), { mode: 0o600 });
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
    try {
      await using _lock = await locks.acquire('counter', { waitMs: 0, signal: never });
      return false;
    } catch (error) {
      assert.ok(error instanceof Failure && error.code === 'busy');
      return true;
    }
  };
  assert.equal(await isTaken({}), true);
  assert.equal(await isTaken({ started: '1' }), false);
  assert.equal(await isTaken({ boot: 'another' }), false);
  assert.equal(await isTaken({ pid: 4_194_303 }), false);
  const elsewhere = { system: 'another-machine pid:[1]', pid: 4_194_303 };
  assert.equal(await isTaken(elsewhere), true);
  assert.equal(await isTaken(elsewhere, 3_600_000), false);
  writeFileSync(path, '', { mode: 0o600 });
  await assert.rejects(
    locks.acquire('counter', { waitMs: 0, signal: never }),
    (error) => error instanceof Failure && error.code === 'busy',
  );
  await end(child);
});

test('[A-139] a holder out of sight keeps its lock for as long as it gives a sign of life, and knows when it has lost it', async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/locks/counter.lock`;
  const elsewhere = async (path: string) => {
    const claim = JSON.parse(await readFile(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...claim, system: 'another-machine pid:[1]' }));
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(path, hourAgo, hourAgo);
  };
  const directory = `${folder.path}/locks`;
  const others = createLocks({ directory, clock: realClock });
  await using lock = await createLocks({ directory, clock: realClock, signMs: 50 }).acquire('counter', {
    waitMs: 0,
    signal: never,
  });
  await elsewhere(path);
  for (let looks = 0; Date.now() - statSync(path).mtimeMs > 60_000; looks += 1) {
    assert.ok(looks < 250, 'the holder of the lock gave no sign of life within 5 s');
    await wait(20);
  }
  await assert.rejects(
    others.acquire('counter', { waitMs: 0, signal: never }),
    (error) => error instanceof Failure && error.code === 'busy',
  );
  assert.equal(lock.isHeld(), true);
  // One that gives none, however: paused, on a machine that was turned off.
  const paused = await createLocks({ directory, clock: realClock, signMs: 3_600_000 }).acquire('paused', {
    waitMs: 0,
    signal: never,
  });
  await elsewhere(`${directory}/paused.lock`);
  await using _taken = await others.acquire('paused', { waitMs: 0, signal: never });
  assert.equal(paused.isHeld(), false);
  await paused[Symbol.asyncDispose]();
  assert.ok(existsSync(`${directory}/paused.lock`), 'who has lost it does not take it away');
});

test('[A-139] a symbolic link, folder or foreign file in the lock’s place is refused and left alone', async () => {
  await using folder = await temporaryFolder();
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  mkdirSync(`${folder.path}/locks`, { mode: 0o700 });
  writeFileSync(`${folder.path}/victim`, 'kept');
  symlinkSync(`${folder.path}/victim`, `${folder.path}/locks/link.lock`);
  mkdirSync(`${folder.path}/locks/folder.lock`);
  writeFileSync(`${folder.path}/locks/open.lock`, '{}', { mode: 0o666 });
  for (const name of ['link', 'folder', 'open']) {
    await assert.rejects(
      locks.acquire(name, { waitMs: 0, signal: never }),
      (error) => error instanceof Failure && error.code === 'state_unsafe' && error.exit === 7,
      name,
    );
    assert.ok(existsSync(`${folder.path}/locks/${name}.lock`));
  }
  assert.equal(await readFile(`${folder.path}/victim`, 'utf8'), 'kept');
});

test('of one process those that wait get the lock in the order in which they came, but for those that gave up', async () => {
  await using folder = await temporaryFolder();
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  const first = await locks.acquire('counter', { waitMs: 0, signal: never });
  const order: number[] = [];
  const stop = new AbortController();
  const turns = Array.from({ length: 20 }, async (_, at) => {
    const [waitMs, signal] = [at === 4 ? 30 : 20_000, at === 7 ? stop.signal : never];
    await using _lock = await locks.acquire('counter', { waitMs, signal });
    order.push(at);
    await wait(5);
  });
  await assert.rejects(async () => turns[4], isBusy(process.pid));
  stop.abort(new Error('enough'));
  await assert.rejects(async () => turns[7], /enough/);
  await first[Symbol.asyncDispose]();
  await Promise.allSettled(turns);
  assert.deepEqual(
    order,
    [...turns.keys()].filter((at) => at !== 4 && at !== 7),
  );
  await using _last = await locks.acquire('counter', { waitMs: 0, signal: never });
});

test('[A-199] a lock’s name never becomes a path', async () => {
  await using folder = await temporaryFolder();
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  for (const name of ['../../escaped', 'https://a.example/x', 'A'.repeat(10_000), '']) {
    await using _lock = await locks.acquire(name, { waitMs: 0, signal: never });
    assert.deepEqual(readdirSync(folder.path), ['locks']);
    assert.match(readdirSync(`${folder.path}/locks`).join(), /^sha256-[0-9a-f]{64}\.lock$/);
  }
});

test('a wait for a lock ends when it is aborted', async () => {
  await using folder = await temporaryFolder();
  const locks = createLocks({ directory: `${folder.path}/locks`, clock: realClock });
  await using _lock = await locks.acquire('one', { waitMs: 0, signal: never });
  const abort = new AbortController();
  const waiting = locks.acquire('one', { waitMs: 60_000, signal: abort.signal });
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
});

test('who waits in a folder that is taken away is told so, and does not wait for ever', async () => {
  await using folder = await temporaryFolder();
  const locks = createLocks({ directory: join(folder.path, 'locks'), clock: realClock });
  await locks.acquire('x', { waitMs: 0, signal: never });
  const waiting = locks.acquire('x', { waitMs: 30_000, signal: never });
  setTimeout(() => rmSync(join(folder.path, 'locks'), { recursive: true }), 100);
  await assert.rejects(waiting, (error) => error instanceof Failure && error.code === 'state_unwritable');
});
