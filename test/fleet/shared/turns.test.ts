import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Items, sharedKeysOf } from '../../../src/fleet/shared/items.js';
import { SharedLogins } from '../../../src/fleet/shared/shared-logins.js';
import { realClock } from '../../stores/state/real-clock.js';
import type { SharedTurn } from '../../support/product.js';
import { inEngine, key, ModelEngine, seed, seenOn, type Trouble, textOf } from './model.js';

const { signal } = new AbortController();

/** No order is explored here: each act is done at once. */
const scheduler = { schedule: (task: Promise<unknown>) => task } as never;

function* troublesOf(troubles: readonly Trouble[]): Generator<Trouble, Trouble> {
  yield* troubles;
  for (;;) yield 'none';
}

function open(troubles: readonly Trouble[] = []) {
  const engine = new ModelEngine(scheduler, troublesOf(troubles), 'none');
  seed(engine);
  const machine = () => {
    const items = new Items(sharedKeysOf(Buffer.alloc(32, 1), Buffer.alloc(32, 2)), 'default');
    const seen = seenOn({ newest: 0 });
    const parts = { items, seen, clock: realClock, by: 'build-1, process 1', leaseMs: 60_000, signal };
    return new SharedLogins({ ...parts, engine: engine.for(() => undefined) });
  };
  return { engine, machine };
}

async function begin(logins: SharedLogins, lives: boolean): Promise<SharedTurn> {
  await logins.read(key, signal);
  const turn = await logins.begin(key, { waitMs: 0, lives, signal });
  assert.ok('sending' in turn);
  return turn;
}

test('no response, one without a token, and a request that never left, hold nobody up', async () => {
  const { machine } = open();
  const [one, other] = [machine(), machine()];
  {
    await using turn = await begin(one, true);
    await turn.sending();
    turn.responded();
    turn.hadNone();
  }
  {
    await using turn = await begin(one, true);
    await turn.sending();
  }
  {
    await using _turn = await begin(other, true);
  }
  await using _again = await begin(one, true);
});

test('a token that works more than once is sent again, whoever has begun', async () => {
  const { engine, machine } = open();
  const [one, other] = [machine(), machine()];
  {
    await using turn = await begin(one, true);
    await turn.sending();
    turn.responded();
    await one.write(key, textOf(0), signal); // the same refresh token as before
  }
  {
    await using turn = await begin(other, true);
    await turn.sending();
    turn.responded(); // and then it is gone
  }
  await using turn = await begin(one, true);
  await turn.sending();
  assert.equal(inEngine(engine), 0);
});

test('a write that follows on what another machine has replaced is none', async () => {
  const { engine, machine } = open();
  const [one, other] = [machine(), machine()];
  await one.read(key, signal);
  await other.read(key, signal);
  await other.write(key, textOf(1), signal);
  await assert.rejects(one.write(key, textOf(2), signal), { code: 'shared_overtaken' });
  assert.equal(inEngine(engine), 1);
  await one.write(key, textOf(3, 2), signal); // a new login
  await assert.rejects(other.write(key, textOf(4), signal), { code: 'shared_overtaken' });
  assert.equal(inEngine(engine), 3);
});

test('the note of who could not take it back holds up every machine', async () => {
  const { machine } = open(['none', 'response lost', 'away', 'leases end']);
  const [one, other] = [machine(), machine()];
  {
    await using turn = await begin(one, false);
    await turn.sending(); // written, though its response was lost
    turn.hadNone();
  }
  for (const machine of [one, other]) {
    await machine.read(key, signal);
    const left = await machine.begin(key, { waitMs: 0, lives: true, signal });
    assert.ok('since' in left);
    assert.equal(left.by, 'build-1, process 1');
  }
});
