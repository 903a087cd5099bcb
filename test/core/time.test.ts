import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { aborted, clampDelay, lifetimeSeconds, retryAfterMs, timeLimit } from '../../src/core/time.js';

const month = 30 * 24 * 3600;
const day = 24 * 3600 * 1000;

test('numbers and decimal strings are lifetimes, at most 30 days [A-123] [A-150]', () => {
  const cases: readonly (readonly [unknown, number])[] = [
    [0, 0],
    [3600, 3600],
    ['3600', 3600],
    [1.5, 1],
    ['1.5', 1],
    [2 ** 31, month],
    [1e308, month],
    ['9'.repeat(400), month],
    [10 * 365 * 24 * 3600, month],
  ];
  for (const [value, seconds] of cases) {
    assert.deepEqual(lifetimeSeconds(value), { kind: 'known', seconds }, String(value).slice(0, 20));
  }
});

test('garbage is an unknown lifetime with a warning that does not quote it [A-123]', () => {
  const garbage = [-1, '-1', '3600abc', '', ' 1', '1e3', '0x10', Number.NaN, Number.POSITIVE_INFINITY, true, [], {}];
  for (const value of garbage) {
    const lifetime = lifetimeSeconds(value);
    assert.equal(lifetime.kind, 'unknown', String(value));
    assert.match(lifetime.kind === 'unknown' ? (lifetime.warning ?? '') : '', /^expires_in .* unknown$/);
  }
});

test('absent and null are unknown without a warning [A-123]', () => {
  assert.deepEqual(lifetimeSeconds(undefined), { kind: 'unknown' });
  assert.deepEqual(lifetimeSeconds(null), { kind: 'unknown' });
  assert.deepEqual(lifetimeSeconds(-0), { kind: 'known', seconds: 0 });
});

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const wait = (value: string | undefined) => retryAfterMs(value, now, 60_000);

test('Retry-After is read strictly and clamped [A-132]', () => {
  assert.equal(wait('7'), 7000);
  assert.equal(wait(' 7\t'), 7000);
  assert.equal(wait('0'), 0);
  assert.equal(wait('1000000000'), 60_000);
  assert.equal(wait('9'.repeat(64)), 60_000);
  assert.equal(wait('Sat, 21 Nov 2026 12:00:05 GMT'), 5000);
  assert.equal(wait('Sat, 21 Nov 2026 11:00:00 GMT'), 0);
  assert.equal(wait('Fri, 31 Dec 9999 23:59:59 GMT'), 60_000);
});

test('what is no delay is no number, and never means at once [A-132]', () => {
  const bad = ['-5', '1.5', '5s', '', 'soon', '1e3', 'Wed, 99 Nov 2026 12:00:00 GMT', 'Sun, 21 Nov 2026 12:00:00 GMT'];
  bad.push('Tue, 31 Feb 2026 12:00:00 GMT', '2026-11-21', 'Sat, 21 Nov 2026 12:00:05 +0100', '9'.repeat(10_000));
  for (const value of [...bad, undefined]) {
    assert.equal(wait(value), undefined, value?.slice(0, 40));
  }
});

test('a timer’s delay lies within 0 and 24 hours, whatever was computed [A-150]', () => {
  assert.equal(clampDelay(Number.NaN), day);
  assert.equal(clampDelay(Number.POSITIVE_INFINITY), day);
  assert.equal(clampDelay(2 ** 31), day);
  assert.equal(clampDelay(-1), 0);
  assert.equal(clampDelay(Number.NEGATIVE_INFINITY), 0);
  assert.equal(clampDelay(1234), 1234);
});

test('any value gives a lifetime in range, and any header a delay in range [A-123] [A-132] [A-150]', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), fc.double(), (value, header, ms) => {
      const lifetime = lifetimeSeconds(value);
      const seconds = lifetime.kind === 'known' ? lifetime.seconds : 0;
      assert.ok(Number.isInteger(seconds) && seconds >= 0 && seconds <= month);
      const delay = wait(header) ?? 0;
      assert.ok(delay >= 0 && delay <= 60_000);
      assert.ok(clampDelay(ms) >= 0 && clampDelay(ms) <= day);
    }),
  );
});

test('a time limit that only a combined signal knows ends it, however often memory is cleared before', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { signal: other } = new AbortController();
  const combined = Array.from({ length: 10 }, () => AbortSignal.any([other, timeLimit(100)]));
  const clearing = setInterval(collect, 10);
  const tooLong = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('the limit was collected')), 5_000).unref();
  });
  await Promise.race([Promise.all(combined.map(aborted)), tooLong]).finally(() => clearInterval(clearing));
  assert.deepEqual(new Set(combined.map(({ reason }) => reason.name)), new Set(['TimeoutError']));
});
