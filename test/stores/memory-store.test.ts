import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../src/core/secret.js';
import { createMemoryStore } from '../../src/stores/memory-store.js';

test('the memory store holds what was written, for itself alone', async () => {
  const store = createMemoryStore();
  await store.ready();
  assert.equal(await store.read('key'), undefined);
  await store.write('key', new Secret('one'));
  await store.write('key', new Secret('two'));
  assert.equal((await store.read('key'))?.reveal(), 'two');
  assert.equal(await createMemoryStore().read('key'), undefined);
  assert.equal(await store.remove('key'), true);
  assert.equal(await store.remove('key'), false);
  assert.equal(await store.read('key'), undefined);
});
