import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFaults } from '../../../src/sandbox/faults/table.js';

test('[A-298] a fault says what it does, and each name is there once', () => {
  const names = listFaults().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, what } of listFaults()) {
    assert.match(name, /^[a-z0-9-]+$/);
    assert.ok(what.length > 0, name);
  }
});
