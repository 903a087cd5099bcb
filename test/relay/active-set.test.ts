import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Active, ActiveSet } from '../../src/relay/active-set.js';

test('an active set holds what a set would hold', () => {
  const change = fc.tuple(fc.boolean(), fc.nat(9));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const things = Array.from({ length: 10 }, (): Active => ({ activeAt: -1 }));
      const active = new ActiveSet<Active>();
      const set = new Set<Active>();
      for (const [adds, number] of changes) {
        const thing = things[number] ?? { activeAt: -1 };
        if (!adds) assert.equal(active.remove(thing), set.delete(thing));
        else if (!set.has(thing)) {
          active.add(thing);
          set.add(thing);
        }
        assert.equal(active.size, set.size);
        assert.ok(active.all().every((one) => set.has(one)));
      }
    }),
  );
});
