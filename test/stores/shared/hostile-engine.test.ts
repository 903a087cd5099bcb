import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineEntry } from '../../../src/stores/engines/engine.js';
import type { SharedTurn } from '../../../src/stores/ports.js';
import { Items, type Part, sharedKeysOf } from '../../../src/stores/shared/items.js';
import { SharedLogins } from '../../../src/stores/shared/shared-logins.js';
import { realClock } from '../state/real-clock.js';
import { key, ModelEngine, seed, spentOn, textOf } from './model.js';

const { signal } = new AbortController();
const scheduler = { schedule: (task: Promise<unknown>) => task } as never;
const readers = Buffer.alloc(32, 1);
const refreshers = Buffer.alloc(32, 2);

function openFleet() {
  const engine = new ModelEngine(scheduler, [][Symbol.iterator](), 'none');
  engine.calm();
  seed(engine);
  const machine = () => {
    const marks = new Set<string>();
    const settled = { settle: () => undefined, unsettle: () => undefined, isSettled: () => false };
    const items = new Items(sharedKeysOf(readers, refreshers), 'default');
    const parts = {
      items,
      settled,
      spent: spentOn(marks),
      clock: realClock,
      by: 'build-1, process 1',
      leaseMs: 60_000,
    };
    const logins = new SharedLogins({ ...parts, signal, engine: engine.for(() => undefined) });
    const refresh = async (number: number) => {
      await logins.read(key, signal);
      await using turn = await begunBy(logins);
      await turn.sending();
      turn.responded();
      await logins.write(key, textOf(number), signal);
    };
    return { logins, refresh };
  };
  return { engine, machine, copy: () => new Map(engine.entries) };
}

/** As an operator puts a copy back: the values of then, under revisions of now. */
function putBack(engine: ModelEngine, copy: ReadonlyMap<string, EngineEntry>): void {
  engine.entries.clear();
  for (const [name, { value }] of copy) engine.entries.set(name, { value, revision: `${Date.now()}${name.length}` });
}

const turnOf = (logins: SharedLogins) => logins.begin(key, { waitMs: 0, lives: false, signal });

async function begunBy(logins: SharedLogins): Promise<SharedTurn> {
  const turn = await turnOf(logins);
  assert.ok(typeof turn === 'object' && 'sending' in turn);
  return turn;
}

test('both items of an older write, put back together: a refresh token that was replaced is not sent again', async () => {
  const { engine, machine, copy } = openFleet();
  const [one, other, stranger] = [machine(), machine(), machine()];
  const [zero] = [copy()];
  await one.refresh(1);
  const first = copy();
  await one.refresh(2);
  await other.logins.read(key, signal); // looks at what is there, and has refreshed nothing
  for (const older of [zero, first]) {
    putBack(engine, older);
    for (const { logins } of [one, other]) {
      await logins.read(key, signal); // the token may live
      await assert.rejects(turnOf(logins), {
        code: 'credential_corrupt',
        message: /has an older state of this login again.*was not sent a second time/,
      });
    }
  }
  await stranger.logins.read(key, signal);
  // Who has never seen the newer one cannot know.
  await using turn = await begunBy(stranger.logins);
  await turn.sending();
});

test('a login that is made again after that is used by all', async () => {
  const { engine, machine, copy } = openFleet();
  const [one, other] = [machine(), machine()];
  const older = copy();
  await one.refresh(1);
  await other.logins.read(key, signal);
  putBack(engine, older);
  await other.logins.write(key, textOf(7, 2), signal);
  await one.logins.read(key, signal);
  await using turn = await begunBy(one.logins);
  await turn.sending();
});

test('one item of an older write, and one of now: neither is used', async () => {
  const { engine, machine, copy } = openFleet();
  const one = machine();
  const older = copy();
  await one.refresh(1);
  const items = new Items(sharedKeysOf(readers, refreshers), 'default');
  for (const part of ['access', 'refresh'] as const) {
    const now = copy();
    const name = items.nameOf(key, part);
    engine.entries.set(name, older.get(name) as EngineEntry);
    await assert.rejects(one.logins.read(key, signal), { code: 'credential_corrupt' });
    putBack(engine, now);
  }
});

test('items of one login under the names of another do not open', async () => {
  const { engine, machine } = openFleet();
  const items = new Items(sharedKeysOf(readers, refreshers), 'default');
  const other = 'b'.repeat(64);
  for (const part of ['access', 'refresh'] as const) {
    engine.entries.set(items.nameOf(other, part), engine.entries.get(items.nameOf(key, part)) as EngineEntry);
  }
  await assert.rejects(machine().logins.read(other, signal), { code: 'store_key_wrong' });
});

test('who has the readers’ key alone, and may write, cannot turn a refresh token elsewhere', async () => {
  const { engine, machine } = openFleet();
  const one = machine();
  await one.refresh(1);
  const runner = new Items(sharedKeysOf(readers, undefined), 'default');
  const name = runner.nameOf(key, 'access' satisfies Part);
  const entry = engine.entries.get(name) as EngineEntry;
  const item = runner.open(name, entry.value);
  assert.ok(typeof item === 'object');
  const credential = { ...(item['credential'] as object), tokenEndpoint: 'https://evil.example/token' };
  engine.entries.set(name, { ...entry, value: runner.seal(name, { ...item, credential }) });
  await assert.rejects(one.logins.read(key, signal), { code: 'credential_corrupt' });
  await assert.rejects(turnOf(one.logins), { code: 'credential_corrupt' });
});
