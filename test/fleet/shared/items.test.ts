import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../src/core/text/json.js';
import {
  accessItem,
  byOurClock,
  halvesOf,
  Items,
  readersHalf,
  refreshItem,
  sharedKeysOf,
  turnItem,
  wholeOf,
} from '../../../src/fleet/shared/items.js';
import { anyUrlWithoutFragment } from '../../support/arbitraries.js';

const keys = sharedKeysOf(Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const items = new Items(keys, 'default');
const key = 'a'.repeat(64);
const secret = fc.stringMatching(/^[A-Za-z0-9]{24,40}$/);

const credential = fc.record(
  {
    version: fc.constantFrom(2, 3, 4, 5),
    binding: fc.record({ server: anyUrlWithoutFragment, account: fc.string() }),
    accessToken: secret,
    refreshToken: secret,
    clientSecret: secret,
    assertion: fc.record({ from: fc.constant('file'), name: secret }),
    generation: fc.nat(),
    scopes: fc.array(fc.string()),
  },
  { requiredKeys: ['version', 'binding', 'accessToken', 'generation'] },
);

test('both halves of a credential give its very text again; the half that everybody reads has no secret but the token', () => {
  fc.assert(
    fc.property(credential, (given) => {
      const text = JSON.stringify(given);
      const halves = halvesOf(text);
      assert.ok(halves);
      assert.equal(wholeOf(halves.credential, halves.hidden), text);
      const shown = readersHalf(halves.credential, 'read-only');
      for (const one of [given.refreshToken, given.clientSecret, given.assertion?.name]) {
        assert.ok(one === undefined || !(JSON.stringify(halves.credential) + shown).includes(one));
      }
      assert.ok(shown.includes(given.accessToken));
      const hasMore = (given.refreshToken ?? given.clientSecret ?? given.assertion) !== undefined;
      assert.equal(shown.includes('refreshedElsewhere'), hasMore);
    }),
  );
});

test('what is no credential has no halves', () => {
  for (const text of ['a client secret', '{"kty":"EC"}', '[]', '']) assert.equal(halvesOf(text), undefined);
});

test('an item opens with its key, under its name, unchanged, and not otherwise', () => {
  const others = new Items(sharedKeysOf(Buffer.alloc(32, 3), Buffer.alloc(32, 4)), 'default');
  const readers = new Items(sharedKeysOf(Buffer.alloc(32, 1), undefined), 'default');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
      const [access, refresh] = [items.nameOf(key, 'access'), items.nameOf(key, 'refresh')];
      const item = { value } as object;
      const sealed = items.seal(access, item);
      for (const one of [items, readers]) assert.equal(JSON.stringify(one.open(access, sealed)), JSON.stringify(item));
      const changed = Buffer.from(sealed);
      const index = at % changed.length;
      changed[index] = (changed[index] ?? 0) ^ change;
      assert.ok([undefined, 'newer'].includes(items.open(access, changed) as undefined));
      assert.equal(items.open(items.nameOf('b'.repeat(64), 'access'), sealed), undefined);
      assert.equal(items.open(refresh, sealed), undefined);
      assert.equal(others.open(access, sealed), undefined);
    }),
  );
  assert.throws(() => readers.open(items.nameOf(key, 'refresh'), items.seal(items.nameOf(key, 'refresh'), {})));
});

test('names tell nothing of a login, and other fleets give it other ones', () => {
  const others = new Items(sharedKeysOf(Buffer.alloc(32, 3), undefined), 'default');
  assert.notEqual(items.nameOf(key, 'access'), others.nameOf(key, 'access'));
  assert.match(items.nameOf(key, 'turn'), /^postern\/default\/turn\/\{[0-9a-f]{64}\}\/item$/);
  assert.ok(!items.nameOf(key, 'access').includes(key));
});

test('whatever stands in an item, it is taken whole or not at all', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('pair', 'generation', 'credential', 'hidden', 'nonce', 'since', 'by'),
        fc.jsonValue(),
      ),
      (given) => {
        const item = given as JsonObject;
        for (const read of [accessItem, refreshItem, turnItem]) {
          const made = read(item);
          assert.ok(made === undefined || typeof made.pair === 'string');
        }
      },
    ),
  );
});

test('a clock that is behind gives a token no longer a life than it has', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (obtainedAt, life, now) => {
      const read = byOurClock({ obtainedAt, expiresAt: obtainedAt + life }, now);
      assert.ok(Number(read['obtainedAt']) <= Math.max(now, obtainedAt));
      assert.ok(Number(read['obtainedAt']) <= now || obtainedAt <= now);
      assert.equal(Number(read['expiresAt']) - Number(read['obtainedAt']), life);
      assert.ok(Number(read['expiresAt']) <= obtainedAt + life);
    }),
  );
});
