import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isTaken, refreshTokensSent } from '../support/at-stage.js';
import { type Forwarder, type RunningEngine, startForwarder, startRedis } from '../support/engines.js';
import { type Fleet, logInOn, type Machine, openFleet } from '../support/fleet.js';
import { needs } from '../support/needs.js';
import type { Finished } from '../support/program.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { rounds } from './expiry.js';

const skip = needs('redis', 'unshare', 'root');
/** For each engine. */
const kills = rounds('POSTERN_ENDURANCE_FLEET_KILLS', 5, 50);
const leaseSeconds = 2;
const troubles = ['kill', 'stop', 'restart', 'cut', 'kill in response'] as const;
type Trouble = (typeof troubles)[number];

interface Stand {
  readonly fleet: Fleet;
  readonly engine: RunningEngine;
  readonly forwarder: Forwarder;
  readonly sandbox: Sandbox;
  readonly usualMs: number;
}

/** For Node.js to load first: a clock that is so many milliseconds ahead. */
const clockOf = (ms: number) => `
const Own = globalThis.Date;
const now = () => Own.now() + ${ms};
globalThis.Date = class Date extends Own {
  constructor(...given) { if (given.length === 0) super(now()); else super(...given); }
  static now() { return now(); }
};
`;

/** One trouble, at some moment of a refresh on the first machine; the others want the token, too. Returns how those ended. */
async function strike(stand: Stand, trouble: Trouble): Promise<readonly Finished[]> {
  const { fleet, engine, forwarder, sandbox, usualMs } = stand;
  const [first, ...others] = fleet.machines as [Machine, ...Machine[]];
  const before = refreshTokensSent({ sandbox }).length;
  await using victim = first.start('token', 'work');
  const bystanders = others.map(async (machine) => {
    await wait(Math.random() * 200);
    return await machine.run('token', 'work');
  });
  const responded = async () => {
    const until = performance.now() + 5_000;
    while (refreshTokensSent({ sandbox }).length === before && performance.now() < until) await wait(1);
    await wait(Math.random() * 20);
  };
  await (trouble === 'kill in response' ? responded() : wait(Math.random() * usualMs));
  if (trouble === 'kill' || trouble === 'kill in response') victim.kill('SIGKILL');
  if (trouble === 'restart') await engine.restart();
  if (trouble === 'cut') {
    forwarder.cutNextResponse();
    await wait(Math.random() * 100);
    forwarder.cutAll();
  }
  if (trouble === 'stop') {
    victim.kill('SIGSTOP');
    await wait(leaseSeconds * 1000 + 1_500);
    victim.kill('SIGCONT');
  }
  await victim.finished;
  // Another process of that machine: it has what the dead one has sealed.
  const next = first.run('token', 'work');
  return [...(await Promise.all(bystanders)), await next];
}

async function asksAgain(machine: Machine): Promise<Finished> {
  for (let tries = 0; ; tries += 1) {
    const ended = await machine.run('token', 'work');
    if (![6, 7].includes(ended.code ?? -1) || tries > 20) return ended;
    await wait(250);
  }
}

async function hasToken(machine: Machine): Promise<void> {
  const { code, stderr } = await machine.run('token', 'work');
  assert.equal(code, 0, stderr);
}

describe('a login that machines share, in trouble', { skip }, () => {
  test(`[R-5.8a][A-136] ${kills} kills, pauses longer than the lease, restarts and cuts, clocks 90 s apart: no refresh token is sent twice, no login lost but where nobody could write`, async (context) => {
    await using engine = await startRedis();
    await using forwarder = await startForwarder(engine.port);
    await using sandbox = await startSandbox({ approve: true });
    await using folder = await temporaryFolder();
    const clocks = [0, 45_000, -45_000];
    for (const [at, ms] of clocks.entries()) await writeFile(join(folder.path, `clock-${at}.mjs`), clockOf(ms));
    await using fleet = await openFleet({
      address: engine.address(),
      count: clocks.length,
      env: { POSTERN_LEASE_SECONDS: `${leaseSeconds}`, POSTERN_STORE_SECONDS: '10' },
      envOf: (number) => ({
        NODE_OPTIONS: `--import=${join(folder.path, `clock-${number}.mjs`)}`,
        ...(number === 0 ? { POSTERN_STORE: engine.address(forwarder.port) } : {}),
      }),
    });
    const [first] = fleet.machines as [Machine];
    await logInOn(first, sandbox);
    const key = fleet.keyOf(first);
    for (const machine of fleet.machines) await hasToken(machine);
    await fleet.letExpire(key, 0);
    const began = performance.now();
    await hasToken(first);
    const stand = { fleet, engine, forwarder, sandbox, usualMs: performance.now() - began };
    const lost: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      const trouble = troubles[round % troubles.length] as Trouble;
      const held = await fleet.letExpire(key, -200_000);
      const ended = await strike(stand, trouble);
      const after = [];
      for (const machine of fleet.machines) after.push(await asksAgain(machine));
      const sent = refreshTokensSent({ sandbox });
      const why = `round ${round}, ${trouble}: ${JSON.stringify({ ended, after, sent: sent.slice(-3) })}`;
      assert.equal(new Set(sent).size, sent.length, `a refresh token was sent twice: ${why}`);
      for (const { code, stderr } of ended) {
        if (code === 7) assert.match(stderr, /Redis at|machine|kept in a sealed file/, why);
      }
      if (after.every(({ code }) => code === 0)) {
        const tokens = new Set(after.map(({ stdout }) => stdout.trim()));
        for (const token of tokens) assert.ok(await isTaken({ sandbox }, token), why);
        continue;
      }
      // The authorization server has it, nobody has what it responded; and that is said.
      assert.ok(sent.includes(held.refreshToken), `lost without a request: ${why}`);
      assert.ok(trouble.startsWith('kill'), why);
      for (const { code, stderr } of after) {
        assert.equal(code, 3, why);
        assert.match(stderr, /sent its refresh token at .* and has written no response/);
      }
      lost.push(trouble);
      await logInOn(first, sandbox);
    }
    context.diagnostic(
      `${kills} troubles, ${refreshTokensSent({ sandbox }).length} refreshes, lost: ${JSON.stringify(lost)}`,
    );
  });
});
