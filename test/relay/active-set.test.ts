import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Listed, Roster } from '../../src/relay/active-set.js';

test('a roster holds what a set would hold', () => {
  const change = fc.tuple(fc.boolean(), fc.nat(9));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const things = Array.from({ length: 10 }, (): Listed => ({ listedAt: -1 }));
      const roster = new Roster<Listed>();
      const set = new Set<Listed>();
      for (const [adds, number] of changes) {
        const thing = things[number] ?? { listedAt: -1 };
        if (!adds) assert.equal(roster.remove(thing), set.delete(thing));
        else if (!set.has(thing)) {
          roster.add(thing);
          set.add(thing);
        }
        assert.equal(roster.size, set.size);
        assert.ok(roster.all().every((one) => set.has(one)));
      }
    }),
  );
});
