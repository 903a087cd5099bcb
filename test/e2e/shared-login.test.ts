import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { refreshTokensSent } from '../support/at-stage.js';
import { type Authority, startAuthority } from '../support/certificates.js';
import { type RunningEngine, startForwarder, startRedis } from '../support/engines.js';
import { type FleetOptions, logInOn, openFleet } from '../support/fleet.js';
import { needs } from '../support/needs.js';
import { Secret } from '../support/product.js';
import { type Running, startCommand } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';

const skip = needs('redis', 'openssl', 'unshare', 'root');

/** All that the engine holds: names, values, and what it would write to its disk. */
async function dumpOf(engine: RunningEngine): Promise<string> {
  const names = (await engine.tool('--raw', 'keys', '*')).split('\n').filter(Boolean);
  const values = await Promise.all(names.map((name) => engine.tool('--no-raw', 'get', name)));
  const dumps = await Promise.all(names.map((name) => engine.tool('--no-raw', 'dump', name)));
  return [...names, ...values.map(unescaped), ...dumps.map(unescaped)].join('\n');
}

/** What redis-cli has put in quotes, as the bytes that it is. */
function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string | undefined, one: string) =>
    hex === undefined ? one : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

interface Wanted extends Omit<FleetOptions, 'address' | 'count'> {
  readonly count?: number;
  readonly authority?: Authority;
}

/** Machines that share a login by one engine, through a forwarder where that is asked for; `first` has logged in. */
async function loggedIn({ count = 1, authority, ...options }: Wanted = {}, isForwarded = false) {
  const engine = await startRedis({ hasUsers: options.hasUsers === true, ...(authority && { authority }) });
  const forwarder = await startForwarder(engine.port);
  const sandbox = await startSandbox({ approve: true });
  const address = isForwarded ? engine.address(forwarder.port) : engine.address();
  const fleet = await openFleet({ address, count, ...options, ...(authority && { caFile: authority.caFile }) });
  const [first, second = first, third = first] = fleet.machines;
  assert.ok(first && second && third);
  await logInOn(first, sandbox);
  const end = async () => {
    for (const part of [fleet, sandbox, forwarder, engine]) await part[Symbol.asyncDispose]();
  };
  return { engine, forwarder, sandbox, fleet, first, second, third, [Symbol.asyncDispose]: end };
}

describe('a login that machines share', { skip }, () => {
  test(`[A-194] all that Redis holds, dumped: no token, no secret in any form, no server`, async () => {
    await using authority = await startAuthority();
    await using at = await loggedIn({ count: 2, authority, hasUsers: true });
    const { engine, sandbox, fleet, first, second } = at;
    const key = fleet.keyOf(first);
    const before = await fleet.item(key);
    assert.equal((await second.run('token', 'work', '--min-ttl', '400')).code, 0);
    const after = await fleet.item(key);
    assert.notEqual(before.refreshToken, after.refreshToken);
    const text = await dumpOf(engine);
    const secrets = {
      ...{ first: before.accessToken, second: after.accessToken, key },
      ...{ 'refresh token': before.refreshToken, 'newer refresh token': after.refreshToken },
      ...{ server: sandbox.serverUrl, host: new URL(sandbox.serverUrl).host },
    };
    assert.ok(text.includes('postern/default/access/'), 'it was dumped');
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { text } }), []);
  });

  test('one machine logs in, the others have it; a logout ends it for all; --local forgets it on one', async () => {
    await using at = await loggedIn({ count: 3 });
    const { sandbox, first, second, third } = at;
    const [one, other] = [await first.run('token', 'work'), await second.run('token', sandbox.serverUrl)];
    assert.deepEqual([one.code, other.code, one.stdout], [0, 0, other.stdout]);
    assert.match((await second.run('status', '-l')).stdout, /Redis, shared by several machines/);
    const helped = await third.run('credential', 'headers', sandbox.serverUrl);
    assert.ok(helped.stdout.includes(one.stdout.trim()), 'a credential helper finds it, too');
    const called = await second.run('call', 'work', 'whoami');
    assert.equal(called.code, 0, called.stderr);
    const local = await second.run('logout', 'work', '--local');
    assert.match(local.stdout, /^Forgot work on this machine\. It goes on in Redis/);
    assert.equal((await first.run('token', 'work')).code, 0);
    assert.equal((await second.run('token', 'work')).code, 0, 'found again');
    const ended = await first.run('logout', 'work');
    assert.match(ended.stdout, /^Logged out of work, for every machine that shares it\./);
    const gone = await second.run('token', 'work');
    assert.equal(gone.code, 3, gone.stderr);
    await logInOn(second, sandbox);
    assert.equal((await first.run('token', 'work')).code, 0, 'the login of another machine, made after it');
  });

  test('a refusal for good is told to all: no machine sends that refresh token again', async () => {
    await using at = await loggedIn({ count: 2 });
    const { sandbox, fleet, first, second } = at;
    assert.equal((await second.run('token', 'work')).code, 0);
    const key = fleet.keyOf(first);
    const { refreshToken } = await fleet.letExpire(key, -1_000);
    const wrong = { ...(await fleet.item(key)), refreshToken: `${refreshToken}x` };
    await fleet.store.write(key, new Secret(JSON.stringify(wrong)));
    for (const machine of [first, second, first]) {
      const { code, stderr } = await machine.run('token', 'work');
      assert.equal(code, 3, stderr);
    }
    assert.equal(refreshTokensSent({ sandbox }).length, 1);
  });

  test('a machine that only reads gets the token without the second key, waits a little for the others, and says what to do', async () => {
    const reading = { POSTERN_STORE_READ_ONLY: '1', POSTERN_STORE_REFRESH_KEY_FILE: '' };
    const envOf = (number: number) =>
      number === 1 ? reading : number === 2 ? { POSTERN_STORE_REFRESH_KEY_FILE: '' } : {};
    await using at = await loggedIn({ count: 3, hasUsers: true, envOf });
    const { sandbox, fleet, first, second: runner, third: keyless } = at;
    for (const machine of [runner, keyless]) {
      const { code, stderr } = await machine.run('token', 'work');
      assert.deepEqual([code, stderr], [0, '']);
    }
    assert.equal((await runner.run('logout', 'work')).code, 7);
    const key = fleet.keyOf(first);
    await fleet.letExpire(key, -1_000);
    const without = await keyless.run('token', 'work');
    assert.equal(without.code, 7);
    assert.match(without.stderr, /POSTERN_STORE_REFRESH_KEY_FILE names no key file here/);
    const waiting = runner.run('token', 'work');
    assert.equal((await first.run('token', 'work')).code, 0);
    const waited = await waiting;
    assert.deepEqual([waited.code, waited.stderr], [0, '']);
    await fleet.letExpire(key, -1_000);
    const alone = await runner.run('token', 'work');
    assert.equal(alone.code, 7);
    assert.match(alone.stderr, /only reads the shared store.*no other machine has written a new token/);
    assert.equal(refreshTokensSent({ sandbox }).length, 1);
  });

  test('while the engine is away there is no token: exit 7, and the engine is named; then there is one again', async () => {
    await using at = await loggedIn();
    const { engine, first: machine } = at;
    const before = await machine.run('token', 'work');
    await engine.stop();
    const during = await machine.run('token', 'work');
    assert.deepEqual([during.code, during.stdout], [7, '']);
    assert.match(during.stderr, /Redis at 127\.0\.0\.1/);
    await engine.start();
    assert.equal((await machine.run('token', 'work')).stdout, before.stdout);
  });

  test('an engine that answers nonsense says of no login that it is gone: exit 7, and nothing is forgotten', async () => {
    await using at = await loggedIn({}, true);
    const { engine, forwarder, first: machine } = at;
    const before = await machine.run('token', 'work');
    for (const nonsense of [':7', '*-1', '+OK']) {
      forwarder.swallow(true, `${nonsense}\r\n`);
      const { code, stderr } = await machine.run('token', 'work');
      assert.equal(code, 7, stderr);
      assert.match(stderr, /something that Redis never sends/);
    }
    forwarder.swallow(false);
    await engine.restart();
    const after = await machine.run('token', 'work');
    assert.deepEqual([after.code, after.stdout], [0, before.stdout], after.stderr);
  });

  test('[A-136] an engine that stalls once within a refresh: nothing is sent, and what a killed refresh has sealed is kept', async () => {
    const env = { POSTERN_STORE_SECONDS: '1', POSTERN_LEASE_SECONDS: '2' };
    await using at = await loggedIn({ env }, true);
    const { forwarder, sandbox, fleet, first: machine } = at;
    const first = await machine.run('token', 'work');
    const isSecondLook = (number: number) => number === 2;
    forwarder.swallowWhere(isSecondLook);
    const stalled = await machine.run('token', 'work', '--min-ttl', '400');
    assert.deepEqual([stalled.code, stalled.stdout], [7, ''], stalled.stderr);
    assert.equal(refreshTokensSent({ sandbox }).length, 0);
    const sealed = `${machine.home.path}/state/postern/recovery/${fleet.keyOf(machine)}.sealed`;
    {
      forwarder.swallowWhere((number) => number > 5); // all that comes after the refresh token was sent
      await using killed = machine.start('token', 'work', '--min-ttl', '400');
      let isOver = false;
      void killed.finished.then(() => {
        isOver = true;
      });
      for (; !existsSync(sealed); await wait(5)) assert.ok(!isOver, 'it ended before a response was sealed');
      killed.kill('SIGKILL');
      await killed.finished;
    }
    forwarder.swallowWhere(() => false);
    const moved = await machine.run('token', 'work');
    assert.equal(moved.code, 0, moved.stderr);
    assert.notEqual(moved.stdout, first.stdout);
    assert.equal(refreshTokensSent({ sandbox }).length, 1);
  });

  test('an engine that stalls once at a logout: nothing ends', async () => {
    const env = { POSTERN_STORE_SECONDS: '1' };
    await using at = await loggedIn({ env }, true);
    const { forwarder, first: machine } = at;
    const before = await machine.run('token', 'work');
    forwarder.swallowWhere((number) => number === 1);
    const stalled = await machine.run('logout', 'work');
    assert.equal(stalled.code, 7, stalled.stderr);
    const after = await machine.run('token', 'work');
    assert.deepEqual([after.code, after.stdout], [0, before.stdout], after.stderr);
  });

  test('the engine is put back to an older copy: no machine that has seen the newer state sends what is spent, and says so; a new login mends it', async () => {
    await using at = await loggedIn({ count: 2 });
    const { engine, sandbox, fleet, first, second } = at;
    await fleet.letExpire(fleet.keyOf(first), -1_000); // so that the older token cannot be used
    const names = (await engine.tool('--raw', 'keys', 'postern/*/item')).split('\n').filter(Boolean);
    assert.equal(names.length, 2);
    for (const name of names) await engine.tool('copy', name, `copy of ${name}`);
    assert.equal((await first.run('token', 'work')).code, 0);
    assert.equal((await second.run('token', 'work')).code, 0);
    const sent = refreshTokensSent({ sandbox }).length;
    for (const name of names) await engine.tool('copy', `copy of ${name}`, name, 'replace');
    for (const machine of [first, second]) {
      const { code, stderr } = await machine.run('token', 'work');
      assert.equal(code, 7, stderr);
      assert.match(stderr, /has an older state of this login again.*not sent a second time/s);
    }
    assert.equal(refreshTokensSent({ sandbox }).length, sent);
    await logInOn(second, sandbox);
    const { code, stderr } = await first.run('token', 'work');
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('a machine that is paused for longer than its lease, before anything is sent, begins anew; it is no fault', async () => {
    await using at = await loggedIn({ env: { POSTERN_LEASE_SECONDS: '2' } });
    const { engine, sandbox, fleet, first } = at;
    const key = fleet.keyOf(first);
    /** What is left of a turn that ends by itself, in milliseconds; none: undefined; -1: its refresh token was sent. */
    const turn = async () => {
      const name = (await engine.tool('--raw', 'keys', 'postern/*/turn/*/item')).trim();
      const left = name === '' ? -2 : Number(await engine.tool('--raw', 'pttl', name));
      return left === -2 ? undefined : left;
    };
    await engine.tool('config', 'set', 'notify-keyspace-events', 'KA');
    let running: Running | undefined;
    const watching = connect(engine.port, '127.0.0.1').on('data', () => running?.kill('SIGSTOP'));
    watching.write('PSUBSCRIBE __keyspace@0__:postern/*/turn/*/item\r\n');
    let paused = 0;
    for (let tries = 0; paused === 0 && tries < 20; tries += 1) {
      await fleet.letExpire(key, -1_000);
      await wait(50); // for what the watcher is told of that write
      running = first.start('token', 'work');
      running.stdin.end();
      while ((await turn()) === undefined && refreshTokensSent({ sandbox }).length === tries) await wait(5);
      const isBetween = ((await turn()) ?? -1) >= 0;
      if (isBetween) await wait(2_500);
      if (isBetween && (await turn()) === undefined) paused += 1;
      const stopped: Running = running;
      running = undefined;
      stopped.kill('SIGCONT');
      const ended = await stopped.finished;
      assert.deepEqual([ended.code, ended.stderr], [0, '']);
    }
    watching.destroy();
    assert.equal(paused, 1, 'it was paused between the two');
    const sent = refreshTokensSent({ sandbox });
    assert.equal(new Set(sent).size, sent.length);
  });

  test('an engine that removes leases before their time: the machine gives up, says so, and has sent nothing', async () => {
    await using at = await loggedIn();
    const { engine, sandbox, fleet, first } = at;
    await fleet.letExpire(fleet.keyOf(first), -1_000);
    const remove = "for _, key in ipairs(redis.call('keys', 'postern/*/turn/*/item')) do redis.call('del', key) end";
    await using removing = startCommand(
      'redis-cli',
      ['-p', `${engine.port}`, '-r', '-1', 'eval', remove, '0'],
      first.home,
    );
    await removing.waitForStdout(/\n/);
    const { code, stderr } = await first.run('token', 'work');
    removing.kill('SIGKILL');
    assert.equal(code, 7, stderr);
    assert.match(stderr, /turn of this machine to refresh this login ended in Redis.*maxmemory-policy noeviction/s);
    assert.equal(refreshTokensSent({ sandbox }).length, 0);
    const after = await first.run('token', 'work');
    assert.equal(after.code, 0, after.stderr);
  });
});
