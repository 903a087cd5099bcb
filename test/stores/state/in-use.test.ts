import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whenFree, whenFreeSync } from '../../../src/stores/state/in-use.js';

const failing = (code: string, times: number) => {
  let count = 0;
  return () => {
    count += 1;
    if (count <= times) throw Object.assign(new Error(code), { code });
    return count;
  };
};

test('on Windows a file that is open elsewhere is tried again, for a while', async () => {
  const windows = { platform: 'win32', maxMs: 1_000 };
  for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
    const act = failing(code, 4);
    assert.equal(await whenFree(async () => act(), windows), 5);
    assert.equal(whenFreeSync(failing(code, 4), windows), 5);
  }
  const short = { platform: 'win32', maxMs: 5 };
  assert.throws(() => whenFreeSync(failing('EPERM', 1_000), short), { code: 'EPERM' });
  await assert.rejects(
    whenFree(async () => failing('EBUSY', 1_000)(), short),
    { code: 'EBUSY' },
  );
  assert.throws(() => whenFreeSync(failing('ENOENT', 1), windows), { code: 'ENOENT' });
});

test('elsewhere it is a refusal at once', async () => {
  const linux = { platform: 'linux', maxMs: 1_000 };
  assert.throws(() => whenFreeSync(failing('EPERM', 1), linux), { code: 'EPERM' });
  const act = failing('EACCES', 1);
  await assert.rejects(
    whenFree(async () => act(), linux),
    { code: 'EACCES' },
  );
});
