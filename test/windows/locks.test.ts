import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { walkLogin } from '../support/product.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';
import { type Person, startPerson } from './person.js';
import { isMissing, node } from './windows.js';
import type { WindowsProgram } from './windows-program.js';

const skip = isMissing();
const started = skip === false ? await startPerson('ada') : undefined;
after(async () => started?.[Symbol.asyncDispose]());

const worker = `Z:${join(repositoryRoot, 'build', 'test', 'stores', 'state', 'lock-worker.js')}`.replaceAll('/', '\\');

function person(): Person {
  assert.ok(started);
  return started;
}

let folders = 0;

/** A folder of locks there, and what stands in it as seen from here. */
function newFolder() {
  folders += 1;
  const there = `${person().home}\\locks ${folders}`;
  const here = person().windows.here(there);
  mkdirSync(join(here, 'locks'), { recursive: true });
  return { there, locks: join(here, 'locks'), lock: join(here, 'locks', 'counter.lock'), here };
}

/** A worker that has the lock, and the number it prints: its own, or that of the process that outlives it. */
async function hold(task: 'hold' | 'pause' | 'leave', folder: string) {
  const program = person().start(node, worker, task, folder);
  const [, pid] = await program.waitFor('stdout', /held (\d+)\n/);
  return { program, pid: Number(pid) };
}

async function tried(folder: string): Promise<string> {
  await using program = person().start(node, worker, 'try', folder);
  const { stdout, stderr } = await program.finished;
  assert.equal(stderr, '');
  return stdout.trim();
}

async function end(program: WindowsProgram): Promise<void> {
  program.kill();
  await program.finished;
}

/** A process that lives on, and its number. */
async function startLiving(script = '') {
  const code = `${script}; console.log('pid', process.pid); setInterval(() => {}, 1000)`;
  const program = person().start(node, '-e', code);
  const [, pid] = await program.waitFor('stdout', /pid (\d+)\n/);
  return { program, pid: Number(pid) };
}

/** As if the system had given the dead holder's number to another process. Returns the path of what shows its life. */
function useAgain(lock: string, pid: number): string {
  const claim = JSON.parse(readFileSync(lock, 'utf8'));
  writeFileSync(lock, JSON.stringify({ ...claim, pid }));
  const life = `${lock}.${pid}.${claim.nonce}`;
  const before = `${lock}.${claim.pid}.${claim.nonce}`;
  if (existsSync(before)) renameSync(before, life);
  return life;
}

test('[A-139] a refresh that was killed holds nobody up, though another process has its number now', {
  skip,
}, async () => {
  const me = person();
  await using sandbox = await startSandbox({ accessTokenSeconds: 1 });
  await using login = me.postern('login', sandbox.serverUrl, '--no-browser', '--name', 'work');
  login.end();
  const [url] = await login.waitFor('stderr', /\bhttps?:\/\/\S+[?&]response_type=code\S*(?=\s)/);
  await walkLogin(url);
  assert.equal((await login.finished).code, 0);
  const { program: living, pid } = await startLiving();

  sandbox.setFaults(['refresh-slow']);
  await using killed = me.postern('token', 'work');
  const folder = me.windows.here(`${me.home}\\AppData\\Local\\postern\\locks`);
  const isRefreshing = () =>
    sandbox.requests.filter(({ path, method }) => method === 'POST' && path.includes('token')).length > 1;
  for (let looks = 0; !isRefreshing(); looks += 1) {
    assert.ok(looks < 600, `no refresh within 30 s: ${killed.stderr}`);
    await wait(50);
  }
  await end(killed);
  sandbox.setFaults([]);
  const [lock] = readdirSync(folder).filter((name) => name.endsWith('.lock'));
  assert.ok(lock, `it had the lock: ${readdirSync(folder)}`);
  useAgain(join(folder, lock), pid);
  const counted = sandbox.stats.refreshes;
  const next = await me.run(['token', 'work']);
  assert.equal(next.code, 0, next.stderr);
  assert.equal(sandbox.stats.refreshes, counted + 1);
  assert.deepEqual(readdirSync(folder), [], 'nothing of the dead one is left');
  await end(living);
});

test('[A-139] a holder that does nothing keeps its lock, however old; killed, it has none, whoever has its number', {
  skip,
}, async () => {
  const folder = newFolder();
  const { program } = await hold('pause', folder.there);
  const longAgo = Date.now() / 1000 - uptime() / 2; // what is older than the boot is dead by that alone
  utimesSync(folder.lock, longAgo, longAgo);
  assert.equal(await tried(folder.there), 'busy');
  await end(program);
  const { program: living, pid } = await startLiving();
  useAgain(folder.lock, pid);
  assert.equal(await tried(folder.there), 'held');
  await end(living);
  assert.deepEqual(readdirSync(folder.locks), []);
});

test('[A-139] a process that a holder has started, and that outlives it, does not keep the lock', {
  skip,
}, async () => {
  const folder = newFolder();
  const { program, pid } = await hold('leave', folder.there);
  await end(program);
  useAgain(folder.lock, pid);
  assert.equal(await tried(folder.there), 'held');
});

test('[A-204] of two processes that count under the lock none loses an update, and nothing is left behind', {
  skip,
}, async () => {
  const folder = newFolder();
  writeFileSync(join(folder.here, 'counter'), '0');
  const count = async () => {
    await using program = person().start(node, worker, 'count', folder.there, '100');
    const { code, stdout, stderr } = await program.finished;
    assert.equal(code, 0, stderr);
    return stdout.trim().split('\n');
  };
  const made = (await Promise.all([count(), count()])).flat();
  assert.equal(new Set(made).size, 200);
  assert.equal(readFileSync(join(folder.here, 'counter'), 'utf8'), '200');
  assert.deepEqual(readdirSync(folder.locks), []);
});

test('what dead holders have left goes with the next one; what somebody has open stays, and is no sign of death', {
  skip,
}, async () => {
  const folder = newFolder();
  const name = (nonce: string) => `counter.lock.4194303.${nonce}`;
  const left = Array.from({ length: 20 }, (_, at) => name(at.toString(16).padStart(32, '0')));
  for (const file of left) writeFileSync(join(folder.locks, file), '');
  const open = name('f'.repeat(32));
  const path = JSON.stringify(`${folder.there}\\locks\\${open}`);
  const { program: other } = await startLiving(
    `fs.openSync(${path}, fs.constants.O_CREAT | fs.constants.O_RDWR | 0x10000000)`,
  );
  assert.equal(await tried(folder.there), 'held');
  assert.deepEqual(readdirSync(folder.locks), [open]);
  await end(other);
  assert.equal(await tried(folder.there), 'held');
  assert.deepEqual(readdirSync(folder.locks), []);
});

test('a virus scanner that has a dead one’s file open for a moment: it is busy until then, and no longer', {
  skip,
}, async () => {
  const folder = newFolder();
  const { program } = await hold('hold', folder.there);
  await end(program);
  const { program: living, pid } = await startLiving();
  const life = useAgain(folder.lock, pid);
  const there = JSON.stringify(`${folder.there}\\locks\\${life.slice(folder.locks.length + 1)}`);
  const { program: scanner } = await startLiving(`fs.openSync(${there}, fs.constants.O_RDWR | 0x10000000)`);
  assert.equal(await tried(folder.there), 'busy');
  assert.ok(statSync(life).isFile());
  await end(scanner);
  assert.equal(await tried(folder.there), 'held');
  await end(living);
  assert.deepEqual(readdirSync(folder.locks), []);
});
