import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultNames } from '../../../src/cli/commands/sandbox.faults.js';
import { listFaults } from '../../../src/sandbox/faults/table.js';

test('[A-298] --help lists every fault of the sandbox, and no other', () => {
  assert.deepEqual(
    Object.values(faultNames).flat(),
    listFaults().map(({ name }) => name),
  );
});

test('[A-298] a fault says what it does, and each name is there once', () => {
  for (const { name, what } of listFaults()) {
    assert.match(name, /^[a-z0-9-]+$/);
    assert.ok(what.length > 0, name);
  }
});
