import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { blocksOf } from '../../src/app/help/blocks.js';
import { readTopic } from '../../src/app/help/topics.js';
import { startAuthority } from '../support/certificates.js';
import { startRedis, users } from '../support/engines.js';
import { type Home, makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { runProgram, startProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

const lifetime = 12;

describe('a fleet, with users and TLS', { skip: needs('redis', 'openssl') }, () => {
  it('two keepers, one of them killed, stopped or ended: runners always read a valid token; one that was stopped past its lease leads no more', async () => {
    await using all = await fleetOf();
    await using _first = await all.machine('refresher');
    const login = ['login', all.server, '--device', '--name', 'work', '--non-interactive'];
    const made = await runProgram(_first, login);
    assert.equal(made.code, 0, made.stderr);
    const running = [await all.keeper(), await all.keeper()];
    await using runner = await all.machine('runner');
    const fresh = (is: () => boolean) => freshUntil(runner, all.server, is);
    const leader = () => running.find((each) => each !== killed && isLeading(each));
    let killed: RunningKeeper | undefined;

    await fresh(() => leader() !== undefined);
    const one = leader() ?? assert.fail();
    await fresh(nextRefreshBy(one));
    one.program.kill('SIGKILL');
    killed = one;
    await one.program.finished;
    await fresh(() => leader() !== undefined);
    const two = leader() ?? assert.fail();

    // Stopped for longer than its lease: the third leads, and the second steps down when it wakes.
    const three = await all.keeper();
    await three.program.waitForStdout(/"event":"standing_by"/);
    await fresh(nextRefreshBy(two));
    two.program.kill('SIGSTOP');
    const before = eventsOf(two).length;
    await fresh(() => isLeading(three));
    two.program.kill('SIGCONT');
    const since = () => eventsOf(two).slice(before);
    const [again, more] = [nextRefreshBy(three), nextRefreshBy(three, 2)];
    await fresh(() => since().includes('stepped_down') || more());
    await fresh(again);
    assert.deepEqual(since(), ['stepped_down', 'standing_by'], 'and it refreshes nothing');

    // Asked to end: it hands over at once, and ends well.
    three.program.kill('SIGTERM');
    const ended = await three.program.finished;
    assert.deepEqual([ended.code, eventsOf(three).at(-1)], [0, 'ended'], ended.stderr);
    await fresh(() => isLeading(two));
    await fresh(nextRefreshBy(two));
    // A token that was sent twice would have ended the login at the authorization server.
    for (const { program } of [one, two, three]) assert.doesNotMatch(program.stdout, /login_expired/);
  });

  it('what the help has for Kubernetes runs as it stands, with files as its Secret makes them', async () => {
    await using all = await fleetOf();
    await using machine = await all.machine('refresher');
    await runProgram(machine, ['login', all.server, '--device', '--name', 'work', '--non-interactive']);
    const [container] = blocksOf(readTopic('fleet').text).filter(
      (block) => block.kind === 'code' && block.lines[0]?.startsWith('command: '),
    );
    assert.ok(container?.kind === 'code');
    const pod = parse(container.lines.join('\n'));
    await using home = await makeHome();
    const keys = join(home.path, 'keys');
    await mkdir(keys);
    const files = { 'postern-store-key': all.readers, 'postern-store-refresh-key': all.refreshers };
    for (const [file, bytes] of Object.entries(files)) await writeFile(join(keys, file), bytes, { mode: 0o400 });
    await writeFile(join(keys, 'postern-engine'), `${users.refresher.name}:${users.refresher.password}`, {
      mode: 0o400,
    });
    const given: Record<string, string> = {};
    for (const { name, value } of pod.env) given[name] = value;
    assert.deepEqual(Object.keys(given), ['POSTERN_STORE', 'CREDENTIALS_DIRECTORY', 'POSTERN_STATE_DIR']);
    const env = {
      ...home.env,
      ...given,
      POSTERN_STORE: all.store,
      CREDENTIALS_DIRECTORY: keys,
      POSTERN_STATE_DIR: join(home.path, 'state', 'postern'),
      NODE_EXTRA_CA_CERTS: all.caFile,
    };
    await using program = startProgram({ ...home, env }, pod.command.slice(1));
    await program.waitForStdout(/"event":"leading"/);
    await program.waitForStdout(/"event":"refreshed","login":"work"/);
    program.kill('SIGTERM');
    assert.equal((await program.finished).code, 0);
  });

  it('a wrong password ends a keeper at once; an engine that is away is waited for', async () => {
    await using all = await fleetOf();
    await using machine = await all.machine('refresher');
    await writeFile(join(machine.path, 'engine'), 'refresher:a-wrong-password', { mode: 0o600 });
    const refused = await runProgram(machine, ['keeper']);
    assert.equal(refused.code, 7);
    assert.match(refused.stderr, /refuses this name and password/);
    assert.ok(!refused.stderr.includes('a-wrong-password'));
    await all.engine.stop();
    await using other = await all.machine('refresher');
    await using waiting = startProgram(other, ['--json', 'keeper']);
    await waiting.waitForStdout(/"event":"store_failed","code":"store_unavailable"/);
    await all.engine.start();
    await waiting.waitForStdout(/"event":"store_back"/);
    await waiting.waitForStdout(/"event":"leading"/);
  });
});

it('a machine that only reads is no keeper: it takes no lease, which would keep those away that may write', {
  skip: needs('redis'),
}, async () => {
  await using engine = await startRedis();
  await using folder = await temporaryFolder();
  const key = join(folder.path, 'readers.key');
  await writeFile(key, randomBytes(32), { mode: 0o600 });
  const store = { POSTERN_STORE: engine.address(), POSTERN_STORE_KEY_FILE: key };
  await using home = await makeHome({ ...store, POSTERN_STORE_READ_ONLY: '1' });
  await using keeper = startProgram(home, ['keeper']);
  const [said] = await keeper.waitForStderr(/Keeping logins fresh|only reads/);
  // One that refuses ends by itself, with its exit code.
  if (said !== 'only reads') keeper.kill('SIGTERM');
  const { code, stderr } = await keeper.finished;
  assert.equal(code, 7, stderr);
  assert.match(stderr, /This machine only reads Redis at 127\.0\.0\.1:\d+ .*\[store_read_only/s);
  // Nor one whose refreshers have the readers' key.
  await using other = await makeHome({ ...store, POSTERN_STORE_REFRESH_KEY_FILE: key });
  await using alike = startProgram(other, ['keeper']);
  const [printed] = await alike.waitForStderr(/Keeping logins fresh|hold the same key/);
  if (printed !== 'hold the same key') alike.kill('SIGTERM');
  const ended = await alike.finished;
  assert.deepEqual([ended.code, /\[store_key_unsafe/.test(ended.stderr)], [7, true], ended.stderr);
  assert.equal((await engine.tool('dbsize')).trim(), '0');
});

/** An engine, a sandbox with short tokens, and machines: each has a home, and a part. */
async function fleetOf() {
  const folder = await temporaryFolder();
  const authority = await startAuthority();
  const engine = await startRedis({ authority, hasUsers: true });
  const sandbox = await startSandbox({ accessTokenSeconds: lifetime, approve: true });
  const [readers, refreshers] = [randomBytes(32), randomBytes(32)];
  const store = engine.address();
  const machine = async (part: 'refresher' | 'runner'): Promise<Home> => {
    const home = await makeHome();
    const at = (name: string) => join(home.path, name);
    const { name, password } = users[part];
    await writeFile(at('readers.key'), readers, { mode: 0o600 });
    await writeFile(at('refreshers.key'), refreshers, { mode: 0o600 });
    await writeFile(at('engine'), `${name}:${password}\n`, { mode: 0o600 });
    const env = {
      ...home.env,
      POSTERN_STORE: store,
      POSTERN_STORE_KEY_FILE: at('readers.key'),
      POSTERN_ENGINE_CREDENTIALS_FILE: at('engine'),
      NODE_EXTRA_CA_CERTS: authority.caFile,
      ...(part === 'runner'
        ? { POSTERN_STORE_READ_ONLY: '1' }
        : { POSTERN_STORE_REFRESH_KEY_FILE: at('refreshers.key') }),
    };
    return { ...home, env };
  };
  const keepers: RunningKeeper[] = [];
  const keeper = async (): Promise<RunningKeeper> => {
    const home = await machine('refresher');
    const program = startProgram(home, ['--json', 'keeper']);
    const dispose = async () => {
      await program[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    };
    const each = { program, [Symbol.asyncDispose]: dispose };
    keepers.push(each);
    await program.waitForStdout(/"event":"(?:leading|standing_by)"/);
    return each;
  };
  return {
    engine,
    machine,
    keeper,
    store,
    readers,
    refreshers,
    caFile: authority.caFile,
    server: sandbox.serverUrl,
    [Symbol.asyncDispose]: async () => {
      for (const each of [...keepers, sandbox, engine, authority, folder]) await each[Symbol.asyncDispose]();
    },
  };
}

interface RunningKeeper extends AsyncDisposable {
  readonly program: ReturnType<typeof startProgram>;
}

function eventsOf({ program }: RunningKeeper): readonly string[] {
  return [...program.stdout.matchAll(/"event":"(\w+)"/g)].map(([, event = '']) => event);
}

function isLeading(each: RunningKeeper): boolean {
  return (
    eventsOf(each)
      .filter((event) => /leading|stepped_down/.test(event))
      .at(-1) === 'leading'
  );
}

/**
 * True after the next refresh: who is killed or stopped between sending and writing loses the login, as nobody can know what
 * the authorization server said. The troubles of a fleet count those.
 */
function nextRefreshBy(each: RunningKeeper, times = 1): () => boolean {
  const refreshes = () => eventsOf(each).filter((event) => event === 'refreshed').length;
  const before = refreshes();
  return () => refreshes() >= before + times;
}

/** A runner gets a token whenever it asks, until that comes about. */
async function freshUntil(runner: Home, server: string, is: () => boolean): Promise<void> {
  const began = performance.now();
  do {
    const { code, stderr } = await runProgram(runner, ['token', server]);
    assert.equal(code, 0, stderr);
    assert.ok(performance.now() - began < 120_000, 'it does not come about');
    await pause(700);
  } while (!is());
}
