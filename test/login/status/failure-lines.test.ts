import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureLines } from '../../../src/login/status/status.command.js';

const now = Date.UTC(2026, 10, 23);
const failed = (code: string) => ({ at: now - 120_000, format: 'git', origin: 'https://a.example', code });

test('a helper that was called wrongly leads to how it is called, any other one to what is set up', () => {
  const lines = (...codes: readonly string[]) => failureLines(codes.map(failed), now);
  const call = 'How such a helper is to be called: postern help credential';
  const why = 'To see why: postern setup --check';
  assert.deepEqual(lines('usage_wrong'), [
    'Last failure: credential git for https://a.example 2 minutes ago: usage wrong',
    call,
  ]);
  assert.deepEqual(lines('login_needed').slice(1), [why]);
  assert.deepEqual(lines('word_missing', 'login_expired').slice(2), [why, call]);
});
