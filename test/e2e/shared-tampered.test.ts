import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Items, sharedKeysOf } from '../../src/fleet/shared/items.js';
import { refreshTokensSent } from '../support/at-stage.js';
import { startCanaries } from '../support/canary.js';
import { type RunningEngine, startRedis } from '../support/engines.js';
import { type Fleet, logInOn, type Machine, openFleet } from '../support/fleet.js';
import { needs } from '../support/needs.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';

const skip = needs('redis');
const { signal } = new AbortController();

/** Names of items that are of one half, and swaps two values of the engine. */
async function itemsOf(engine: RunningEngine, namespace: string, half: 'access' | 'refresh') {
  const names = await engine.tool('--raw', 'keys', `postern/${namespace}/${half}/*/item`);
  return names.split('\n').filter(Boolean).sort();
}

async function swap(engine: RunningEngine, [one = '', other = '']: readonly string[]): Promise<void> {
  const moves = [
    [one, 'aside'],
    [other, one],
    ['aside', other],
  ];
  for (const [from = '', to = ''] of moves) await engine.tool('rename', from, to);
}

/** Nothing is printed for a token, nothing is sent, and the failure is one of these. */
async function refuses(machine: Machine, sandbox: Sandbox, codes: RegExp, name = 'work'): Promise<void> {
  const sent = refreshTokensSent({ sandbox }).length;
  for (const life of ['0', '400']) {
    const { code, stdout, stderr } = await machine.run('token', name, '--min-ttl', life, '--json');
    assert.deepEqual([code, stdout], [7, ''], stderr);
    assert.match(JSON.parse(stderr).error.code, codes);
  }
  assert.equal(refreshTokensSent({ sandbox }).length, sent);
}

async function works(machine: Machine, name = 'work'): Promise<string> {
  const { code, stdout, stderr } = await machine.run('token', name);
  assert.equal(code, 0, stderr);
  return stdout;
}

describe('an engine whose items somebody has changed', { skip }, () => {
  const stage = open();
  after(async () => {
    for (const one of [(await stage).sandbox, (await stage).engine]) await one[Symbol.asyncDispose]();
  });

  async function open() {
    if (skip) return assert.fail();
    const [engine, sandbox] = [await startRedis(), await startSandbox({ approve: true })];
    const fleet = (namespace: string): Promise<Fleet> =>
      openFleet({ address: `${engine.address()}/${namespace}`, count: 2, isApart: false });
    return { engine, sandbox, fleet };
  }

  test('[A-200] items of two logins are swapped, one half or both: neither login opens as the other', async () => {
    const { engine, sandbox, fleet: open } = await stage;
    await using fleet = await open('swapped');
    const [first, second] = fleet.machines as [Machine, Machine];
    for (const name of ['one', 'two']) await logInOn(first, sandbox, name);
    for (const name of ['one', 'two']) await works(second, name);
    const [access, refresh] = [
      await itemsOf(engine, 'swapped', 'access'),
      await itemsOf(engine, 'swapped', 'refresh'),
    ] as const;
    for (const halves of [[access], [refresh], [access, refresh]]) {
      for (const names of halves) await swap(engine, names);
      for (const name of ['one', 'two']) await refuses(second, sandbox, /^store_key_wrong$/, name);
      for (const names of halves) await swap(engine, names);
    }
    for (const name of ['one', 'two']) await works(second, name);
  });

  test('[A-200] whoever has the readers’ key writes another token endpoint into their half: no refresh token goes there', async () => {
    const { sandbox, fleet: open } = await stage;
    await using fleet = await open('turned');
    await using canaries = await startCanaries();
    const [first, second] = fleet.machines as [Machine, Machine];
    await logInOn(first, sandbox);
    await works(second);
    const items = new Items(sharedKeysOf(fleet.readersKey, undefined), 'turned');
    const name = items.nameOf(fleet.keyOf(first), 'access');
    const [entry] = await fleet.engine.read([name], signal);
    assert.ok(entry);
    const item = items.open(name, entry.value);
    assert.ok(typeof item === 'object');
    const credential = {
      ...(item['credential'] as object),
      tokenEndpoint: `http://127.0.0.1:${canaries.ports['127.0.0.1']}/token`,
    };
    const put = { key: name, value: items.seal(name, { ...item, credential }) };
    await fleet.engine.commit({ onlyIf: [], puts: [put], removes: [] }, signal);
    for (const machine of [first, second]) await refuses(machine, sandbox, /^credential_corrupt$/);
    assert.deepEqual(canaries.visits, []);
  });

  test('the refresh half of an older write is put back: what is spent is not sent, by a machine that never saw it replaced neither', async () => {
    const { engine, sandbox, fleet: open } = await stage;
    await using fleet = await open('older');
    const [first, second] = fleet.machines as [Machine, Machine];
    await logInOn(first, sandbox);
    const [name = ''] = await itemsOf(engine, 'older', 'refresh');
    await engine.tool('copy', name, 'an older one');
    const renewed = await first.run('token', 'work', '--min-ttl', '400');
    assert.equal(renewed.code, 0, renewed.stderr);
    await engine.tool('copy', name, 'the newest');
    await engine.tool('copy', 'an older one', name, 'replace');
    // The second has never been here: it does not know which refresh tokens are spent.
    for (const machine of [second, first]) {
      const words = machine === second ? sandbox.serverUrl : 'work';
      await refuses(machine, sandbox, /^credential_corrupt$/, words);
    }
    await engine.tool('copy', 'the newest', name, 'replace');
    await works(first);
  });
});
