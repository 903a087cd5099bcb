import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { refreshTokensSent } from '../support/at-stage.js';
import { type RunningEngine, startForwarder, startRedis } from '../support/engines.js';
import { logInOn, type Machine, openFleet } from '../support/fleet.js';
import { needs } from '../support/needs.js';
import type { Running } from '../support/program.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';

const skip = needs('redis');

/** Until it holds; a program that has ended by then will not make it so. */
async function until(holds: () => boolean | Promise<boolean>, program: Running): Promise<void> {
  let hasEnded = false;
  void program.finished.then(() => {
    hasEnded = true;
  });
  while (!(await holds())) {
    assert.ok(!hasEnded, program.stderr);
    await wait(2);
  }
}

/** Everything that the engine holds, as one number. */
async function digestOf(engine: RunningEngine): Promise<string> {
  const each = "for i, key in ipairs(keys) do all[i] = key .. ' ' .. redis.call('get', key) end";
  const script = `local keys, all = redis.call('keys', '*'), {} table.sort(keys) ${each} return redis.sha1hex(table.concat(all))`;
  return await engine.tool('--raw', 'eval', script, '0');
}

describe('turns of machines that share a login', { skip }, () => {
  const stage = open();
  after(async () => {
    for (const one of [(await stage).sandbox, (await stage).engine]) await one[Symbol.asyncDispose]();
  });

  async function open() {
    if (skip) return assert.fail();
    return { engine: await startRedis(), sandbox: await startSandbox({ approve: true }) };
  }

  async function stand(
    namespace: string,
    faults: readonly string[],
    envs: readonly Record<string, string>[] = [{}, {}],
  ) {
    const { engine, sandbox } = await stage;
    const address = `${engine.address()}/${namespace}`;
    const env = { POSTERN_LEASE_SECONDS: '2', POSTERN_STORE_SECONDS: '20' };
    const fleet = await openFleet({
      ...{ address, count: envs.length, isApart: false, env },
      envOf: (number) => envs[number] ?? {},
    });
    const [first, second] = fleet.machines as [Machine, Machine];
    sandbox.setFaults([]);
    await logInOn(first, sandbox);
    sandbox.setFaults(faults);
    const before = refreshTokensSent({ sandbox }).length;
    const key = fleet.keyOf(first);
    return {
      ...{ engine, sandbox, fleet, first, second, address },
      expires: () => fleet.letExpire(key, -1_000),
      item: () => fleet.item(key),
      sent: () => refreshTokensSent({ sandbox }).slice(before),
      /** Is there a turn that expires no more? */
      isNoted: async () => {
        const turn = (await engine.tool('--raw', 'keys', `postern/${namespace}/turn/*/item`)).trim();
        return turn !== '' && (await engine.tool('--raw', 'pttl', turn)).trim() === '-1';
      },
      [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
    };
  }

  /** A refresh whose token has left, and whose answer is on its way. */
  async function sending(machine: Machine, sandbox: Sandbox): Promise<Running> {
    const before = refreshTokensSent({ sandbox }).length;
    const running = machine.start('token', 'work');
    running.stdin.end();
    await until(() => refreshTokensSent({ sandbox }).length > before, running);
    return running;
  }

  test('[R-5.8a] the engine knows that a refresh token has left, until its answer is written', async () => {
    await using at = await stand('note', ['refresh-late']);
    await at.expires();
    await using running = await sending(at.first, at.sandbox);
    assert.ok(await at.isNoted());
    const { code, stderr } = await running.finished;
    assert.equal(code, 0, stderr);
    assert.equal(await at.isNoted(), false);
  });

  test('[R-5.8a][A-134] two machines have seen that nobody refreshes: one of them has the turn, the other its token', async () => {
    const { engine } = await stage;
    await using forwarder = await startForwarder(engine.port);
    const far = { POSTERN_STORE: `${engine.address(forwarder.port)}/race` };
    await using at = await stand('race', ['refresh-late'], [{}, far]);
    assert.equal((await at.second.run('token', at.sandbox.serverUrl)).code, 0);
    await at.expires();
    // The second is held between what it has seen and its write.
    const { held, letGo } = forwarder.holdNext('EVAL');
    await using late = at.second.start('token', at.sandbox.serverUrl);
    late.stdin.end();
    await held;
    await using running = await sending(at.first, at.sandbox);
    letGo();
    const [one, other] = [await running.finished, await late.finished];
    for (const { code, stderr } of [one, other]) assert.equal(code, 0, stderr);
    assert.equal(at.sent().length, 1);
    assert.equal((await at.first.run('token', 'work')).stdout, one.stdout);
  });

  test('[A-139][A-148] a refresh is stopped past its lease, and another machine logs in meanwhile: what the refresh brings does not replace that login', async () => {
    await using at = await stand('login', ['refresh-late']);
    // The same client on both, so that the newer login takes the older one's place.
    const indexOf = ({ home }: Machine) => join(home.path, 'state', 'postern', 'logins.json');
    await mkdir(dirname(indexOf(at.second)), { recursive: true, mode: 0o700 });
    await copyFile(indexOf(at.first), indexOf(at.second));
    await at.expires();
    await using stopped = await sending(at.first, at.sandbox);
    stopped.kill('SIGSTOP');
    await wait(2_500);
    await logInOn(at.second, at.sandbox);
    const made = await at.item();
    stopped.kill('SIGCONT');
    await stopped.finished;
    assert.deepEqual(await at.item(), made);
    for (const machine of [at.first, at.second]) {
      const { code, stdout, stderr } = await machine.run('token', 'work');
      assert.deepEqual([code, stdout.trim()], [0, made.accessToken], stderr);
    }
  });

  test('a machine that only reads, with both keys at hand, changes nothing in the engine: not by a login or logout either', async () => {
    await using at = await stand('reads', [], [{}, { POSTERN_STORE_READ_ONLY: '1' }]);
    const url = at.sandbox.serverUrl;
    assert.equal((await at.second.run('token', url)).code, 0);
    const before = await digestOf(at.engine);
    for (const words of [
      ['logout', url],
      ['login', url, '--device', '--force'],
    ]) {
      const { code, stderr } = await at.second.run(...words, '--json');
      assert.equal(code, 7, stderr);
      assert.equal(JSON.parse(stderr).error.code, 'store_read_only');
    }
    for (const words of [
      ['token', url],
      ['call', url, 'whoami'],
      ['logout', url, '--local'],
    ]) {
      const { code, stderr } = await at.second.run(...words);
      assert.equal(code, 0, stderr);
    }
    assert.equal(await digestOf(at.engine), before);
    assert.equal((await at.first.run('token', 'work')).code, 0);
  });

  test('one key file for readers and for those that refresh is refused, before anything is kept or anybody logs in', async () => {
    await using at = await stand('alike', [], [{}, {}]);
    const { POSTERN_STORE_KEY_FILE = '' } = at.second.home.env;
    const alike = { POSTERN_STORE_KEY_FILE, POSTERN_STORE_REFRESH_KEY_FILE: POSTERN_STORE_KEY_FILE };
    await using fleet = await openFleet({ address: at.address, count: 1, isApart: false, env: alike });
    const [machine] = fleet.machines as [Machine];
    const begun = () => at.sandbox.requests.filter(({ path }) => path.includes('device')).length;
    const before = [await digestOf(at.engine), begun()];
    for (const words of [
      ['login', at.sandbox.serverUrl, '--device'],
      ['token', at.sandbox.serverUrl],
    ]) {
      const { code, stderr } = await machine.run(...words, '--json');
      assert.equal(code, 7, stderr);
      assert.match(stderr, /store_key_unsafe/);
    }
    assert.deepEqual([await digestOf(at.engine), begun()], before);
  });

  for (const [what, head] of [
    ['a value of 4 GB', '*1\r\n$4000000000\r\n'],
    ['a line without end', '+'],
    ['an error without end', '-ERR '],
  ] as const) {
    test(`what calls itself Redis sends ${what}: it is read up to a limit, and that is exit 7`, async () => {
      await using flood = await floodWith(head);
      const address = `redis:redis://127.0.0.1:${flood.port}`;
      await using fleet = await openFleet({ address, count: 1, isApart: false });
      const [machine] = fleet.machines as [Machine];
      const { code, stdout, stderr } = await machine.run('token', 'https://server.example/mcp', '--json');
      assert.deepEqual([code, stdout, JSON.parse(stderr).error.code], [7, '', 'store_unavailable']);
      assert.ok(flood.written() < 200e6, `${flood.written()} bytes were taken`);
    });
  }
});

/** An engine that responds to a look with `head`, and then without end. */
async function floodWith(head: string) {
  const chunk = Buffer.alloc(1 << 20, 'a');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (asked) => {
      if (!/MGET|SCAN/.test(asked.toString('latin1'))) return void socket.write('+OK\r\n');
      socket.write(head);
      const flood = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', flood);
      flood();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    port: address.port,
    written: () => [...sockets].reduce((all, { bytesWritten }) => all + bytesWritten, 0),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
