import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orphanLines } from '../../src/login/status/render.js';
import { storeFailed, storeUnavailable } from '../../src/stores/keychain/failures.js';
import type { StoreKind } from '../support/product.js';

test('what several secrets cannot be removed for is told once, and how many they are', () => {
  const left = (store: StoreKind, failure = storeUnavailable('no_bus', 'none')) => ({
    item: { key: 'ab'.repeat(32), store },
    failure,
  });
  const lines = orphanLines([
    left('keychain'),
    left('file', storeFailed('remove', new Error('odd'))),
    left('keychain'),
    left('helper:x'),
  ]);
  assert.equal(lines.length, 6);
  assert.match(lines[0] ?? '', /^Note: 2 secrets without a login are left in the keychain .*no D-Bus session/);
  assert.match(lines[2] ?? '', /^Note: a secret without a login is left in a sealed file .*odd/);
  assert.deepEqual(orphanLines([]), []);
});
