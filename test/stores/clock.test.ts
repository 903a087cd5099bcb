import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../src/stores/clock.js';

test('a wait beyond what timers keep does not become a hot loop, and ends when it is aborted', async () => {
  const clock = createClock();
  const reason = new Error('enough');
  for (const ms of [Number.POSITIVE_INFINITY, Number.NaN, 2 ** 31, 1e308]) {
    const controller = new AbortController();
    const sleeping = clock.sleep(ms, controller.signal);
    const first = await Promise.race([sleeping.then(() => 'woke'), clock.sleep(20, new AbortController().signal)]);
    assert.equal(first, undefined, `${ms}`);
    controller.abort(reason);
    await assert.rejects(sleeping, (error) => error === reason);
  }
  await clock.sleep(-5, new AbortController().signal);
  await assert.rejects(clock.sleep(5, AbortSignal.abort(reason)), (error) => error === reason);
  const before = clock.monotonic();
  assert.ok(clock.monotonic() >= before);
});
