import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createElection } from '../../src/fleet/election.js';
import type { KeeperEvent } from '../../src/fleet/ports.js';
import { createClock } from '../../src/stores/clock.js';
import { startForwarder, startRedis, users } from '../support/engines.js';
import { needs } from '../support/needs.js';
import { always, openAs, texts } from './engine/open.js';

const key = 'postern/default/keeper/lease';

describe('the election', { skip: needs('redis') }, () => {
  it('one of five leads; the next follows as soon as it gives the lease back', async () => {
    await using running = await startRedis({ hasUsers: true });
    await using engine = await openAs(running.address(), { user: users.refresher });
    const waiting = new AbortController();
    const candidates = Array.from({ length: 5 }, (_, at) => candidate(engine, `k${at}`));
    const wins = candidates.map(({ lead }) => lead(waiting.signal));
    const first = await Promise.race(wins.map(async (win, at) => ({ leadership: await win, at })));
    assert.ok(first.leadership.isHeld());
    const told = candidates.flatMap(({ events }) => events.map((event) => event.event));
    assert.ok(told.every((event) => event === 'standing_by'));
    await first.leadership.release();
    const others = wins.filter((_, at) => at !== first.at);
    const second = await Promise.race(others);
    assert.ok(second.isHeld());
    waiting.abort(new Error('enough'));
    await second.release();
    await Promise.allSettled(wins.map(async (win) => (await win).release()));
    assert.deepEqual(texts(await engine.read([key], always)), [undefined]);
  });

  it('who cannot reach the engine steps down before anybody else can lead', async () => {
    await using running = await startRedis();
    await using forwarder = await startForwarder(running.port);
    await using far = await openAs(running.address(forwarder.port), { storeSeconds: 60 });
    await using near = await openAs(running.address());
    const one = await candidate(far, 'far').lead(always);
    const two = candidate(near, 'near').lead(always);
    forwarder.swallow(true);
    const lostFirst = await Promise.race([
      new Promise((resolve) => one.lost.addEventListener('abort', () => resolve(true))),
      two.then(() => false),
    ]);
    assert.equal(lostFirst, true);
    assert.equal(one.isHeld(), false);
    const leader = await two;
    assert.ok(leader.isHeld());
    forwarder.swallow(false);
    await one.release(); // it is another one's: nothing is removed
    assert.match(String(texts(await near.read([key], always))[0]), /"near"/);
    await leader.release();
  });
});

function candidate(engine: Awaited<ReturnType<typeof openAs>>, name: string) {
  const events: KeeperEvent[] = [];
  const tell = (event: KeeperEvent) => void events.push(event);
  const options = { engine, key, id: randomUUID(), name, clock: createClock(), tell, random: Math.random };
  return { events, lead: createElection(options) };
}
