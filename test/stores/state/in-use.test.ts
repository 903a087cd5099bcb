import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whenFree } from '../../../src/stores/private-file.js';

const failing = (code: string, times: number) => {
  let count = 0;
  return () => {
    count += 1;
    if (count <= times) throw Object.assign(new Error(code), { code });
    return count;
  };
};

test('on Windows a file that is open elsewhere is tried again, for a while', () => {
  const windows = { platform: 'win32', maxMs: 1_000 };
  for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
    assert.equal(whenFree(failing(code, 4), windows), 5);
  }
  const short = { platform: 'win32', maxMs: 5 };
  assert.throws(() => whenFree(failing('EPERM', 1_000), short), { code: 'EPERM' });
  assert.throws(() => whenFree(failing('ENOENT', 1), windows), { code: 'ENOENT' });
});

test('elsewhere it is a refusal at once', () => {
  const linux = { platform: 'linux', maxMs: 1_000 };
  assert.throws(() => whenFree(failing('EPERM', 1), linux), { code: 'EPERM' });
});
