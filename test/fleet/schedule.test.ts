import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { dueAt, restMs } from '../../src/fleet/schedule.js';

const chance = fc.double({ min: 0, max: 1, noNaN: true });

it('a token is refreshed before its end, after more than half of its life, and about as long ahead as was asked', () => {
  const life = fc.integer({ min: 1, max: 10 ** 9 });
  fc.assert(
    fc.property(life, fc.integer({ min: 1000, max: 86_400_000 }), chance, (lifeMs, aheadMs, random) => {
      const due = dueAt({ obtainedAt: 5_000, expiresAt: 5_000 + lifeMs }, aheadMs, random);
      const ahead = 5_000 + lifeMs - due;
      assert.ok(due < 5_000 + lifeMs && due > 5_000 + lifeMs / 2);
      assert.ok(ahead <= Math.min(aheadMs * 1.2, lifeMs / 3) + 1);
      assert.ok(ahead >= Math.min(aheadMs, lifeMs * 0.26) - 1);
    }),
  );
  assert.equal(dueAt({ obtainedAt: 5_000, expiresAt: null }, 1000, 0.5), Number.POSITIVE_INFINITY);
});

it('logins of one hour are not refreshed in one second', () => {
  const token = { obtainedAt: 0, expiresAt: 3_600_000 };
  const times = [0, 0.25, 0.5, 0.75, 1].map((random) => dueAt(token, 600_000, random));
  assert.ok(Math.max(...times) - Math.min(...times) >= 100_000);
});

it('a login that fails rests longer each time, ten minutes or so at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), chance, (failures, random) => {
      const rest = restMs(failures, random);
      assert.ok(rest >= 3_750 && rest <= 750_000);
      assert.ok(failures > 7 || restMs(failures + 2, random) > rest);
    }),
  );
});
