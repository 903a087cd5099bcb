import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Home, makeHomeWithKey } from '../support/home.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { holdRename, startTraced } from '../support/strace.js';

const skip = needs('strace');

/** A system call that was done. Both numbers are lines of the trace: when it was entered, and when it returned. */
interface Call {
  readonly name: string;
  /** The paths that are named, those of open files too. */
  readonly paths: readonly string[];
  readonly text: string;
  readonly begun: number;
  readonly done: number;
}

const traced = 'write,pwrite64,writev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat';

async function callsOf(home: Home, ...args: string[]): Promise<readonly Call[]> {
  const file = join(home.path, 'trace');
  await using running = startTraced(home, ['-y', '-s', '8', '-o', file, '-e', `trace=${traced}`], args);
  const { code, stderr } = await running.finished;
  assert.equal(code, 0, stderr);
  return callsIn(readFileSync(file, 'utf8'));
}

function callsIn(trace: string): readonly Call[] {
  const entered = new Map<string, { readonly text: string; readonly begun: number }>();
  return trace.split('\n').flatMap((line, at) => {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      entered.set(thread, { text: rest, begun: at });
      return [];
    }
    const { text, begun } = rest.startsWith('<... ')
      ? (entered.get(thread) ?? { text: '', begun: at })
      : { text: rest, begun: at };
    const name = /^(\w+)\(/.exec(text)?.[1];
    const paths = [...text.matchAll(/<(\/[^>]*)>|"(\/[^"]*)"/g)].map(([, open, named]) => open ?? named ?? '');
    return name !== undefined && !/ = -1 /.test(rest) ? [{ name, paths, text, begun, done: at }] : [];
  });
}

const isSync = ({ name }: Call) => name === 'fsync' || name === 'fdatasync';

/** A file of the state folder that was rewritten as a whole, by this call. */
interface Replaced {
  readonly from: string;
  readonly to: string;
  readonly call: Call;
}

function replaced(calls: readonly Call[], home: Home): readonly Replaced[] {
  return calls.flatMap((call) => {
    const [from = '', to = ''] = call.paths.filter((path) => path.startsWith(join(home.path, 'state')));
    return call.name.startsWith('rename') && to !== '' ? [{ from, to, call }] : [];
  });
}

/** When the disk had all that was written to a file before it took its name. */
function syncedAt(calls: readonly Call[], { from, to, call }: Replaced): number {
  const isOf = ({ paths: [path = ''] }: Call) => path === from || path === to;
  const last = calls.findLast((one) => /write|truncate/.test(one.name) && isOf(one) && one.begun < call.begun);
  assert.ok(last !== undefined, `${to} is written`);
  const sync = calls.find((one) => isSync(one) && isOf(one) && one.begun > last.done);
  assert.ok(sync !== undefined, `${to} is never on the disk`);
  return sync.done;
}

/** When the disk had the new name. */
function renamedAt(calls: readonly Call[], { to, call }: Replaced): number {
  const sync = calls.find((one) => isSync(one) && one.paths[0] === dirname(to) && one.begun > call.done);
  assert.ok(sync !== undefined, `the name of ${to} is never on the disk`);
  return sync.done;
}

describe('what a power cut leaves', { skip }, () => {
  test('[A-137][R-5.8b] a login: each file that is replaced was on the disk before it took its name, and its name is before the end', async () => {
    await using sandbox = await startSandbox({ approve: true });
    await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
    const calls = await callsOf(home, 'login', sandbox.serverUrl, '--device', '--name', 'work');
    const files = replaced(calls, home);
    for (const file of files) {
      assert.ok(syncedAt(calls, file) < file.call.begun, `${file.to} took its name before it was on the disk`);
      renamedAt(calls, file);
    }
    const names = new Set(files.map(({ to }) => to.slice(home.path.length).replace(/[0-9a-f]{64}/, 'KEY')));
    for (const name of ['logins.json', 'sealed/head', 'sealed/KEY.sealed']) {
      assert.ok(names.has(`/state/postern/${name}`), `${name} of ${[...names]}`);
    }
  });

  test('[A-136][R-5.8b] a refresh: its answer is sealed first, and on the disk in the store before the index says so, anybody gets the token, or the seal goes', async () => {
    await using sandbox = await startSandbox({ approve: true });
    await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
    const login = await runProgram(home, ['login', sandbox.serverUrl, '--device', '--name', 'work']);
    assert.equal(login.code, 0, login.stderr);
    const calls = await callsOf(home, 'token', 'work', '--min-ttl', '400');
    const files = replaced(calls, home);
    const [answer] = files.filter(({ to }) => /\/recovery\/[^/]*\.sealed$/.test(to));
    const [stored] = files.filter(({ to }) => /\/sealed\/[^/]*\.sealed$/.test(to));
    const [index] = files.filter(({ to }) => to.endsWith('/logins.json'));
    assert.ok(answer !== undefined && stored !== undefined && index !== undefined);
    assert.ok(answer.call.done < stored.call.begun, 'it is sealed before the store is written');
    for (const file of [stored, index]) assert.ok(syncedAt(calls, file) < file.call.begun, file.to);
    for (const at of [syncedAt, renamedAt]) at(calls, answer); // beside the store, which may be faster
    const safe = renamedAt(calls, stored);
    assert.ok(safe < index.call.begun, 'the index');
    const gone = calls.find(({ name, paths }) => name.startsWith('unlink') && paths.includes(answer.to));
    assert.ok(gone !== undefined && safe < gone.begun, 'the seal');
    const printed = calls.find(({ text }) => /^write\(1(?:<[^>]*>)?, "eyJ/.test(text));
    assert.ok(printed !== undefined && safe < printed.begun, 'the token');
  });
});

test('[A-137] two processes that refresh two logins at one moment: the index has what each of them wrote', {
  skip,
}, async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  for (const account of ['one', 'two']) {
    const words = ['login', sandbox.serverUrl, '--device', '--name', account, '--account', account];
    const { code, stderr } = await runProgram(home, words);
    assert.equal(code, 0, stderr);
  }
  const folder = join(home.path, 'state', 'postern');
  const index = join(folder, 'logins.json');
  const ends = () =>
    (JSON.parse(readFileSync(index, 'utf8')) as { logins: { expiresAt: number }[] }).logins.map((one) => one.expiresAt);
  const before = ends();
  // The first is held where it has read the index, and what is to take its place has not: its item is new by then. Two files
  // are replaced before: the answer is sealed, and the item written.
  const sealed = join(folder, 'sealed');
  const names = readdirSync(sealed);
  const items = () => names.map((name) => statSync(join(sealed, name)).ino).join();
  const [stored, trace] = [items(), join(home.path, 'trace')];
  await using one = startTraced(home, [...holdRename(3, 4), '-o', trace], ['token', 'one', '--min-ttl', '400']);
  while (items() === stored && existsSync(`/proc/${one.pid}`)) await wait(2);
  const two = runProgram(home, ['token', 'two', '--min-ttl', '400']);
  for (const { code, stderr } of await Promise.all([one.finished, two])) assert.equal(code, 0, stderr);
  const [, , third] = replaced(callsIn(readFileSync(trace, 'utf8')), home);
  assert.equal(third?.to, index, 'it was held there');
  const after = ends();
  assert.deepEqual(
    after.map((end, at) => end > (before[at] ?? 0)),
    [true, true],
    'each record has the end of its newer token',
  );
});
