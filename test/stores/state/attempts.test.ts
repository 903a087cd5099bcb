import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createLocks } from '../../../src/stores/state/locks.js';
import { createAttempts } from '../../../src/stores/state/small-files.js';
import { failureOf } from '../../support/http.js';
import type { Clock } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from './real-clock.js';

const hour = 3_600_000;

/** Budgets as several processes have them, over one folder, by a clock that the test sets. */
async function place() {
  const folder = await temporaryFolder();
  const directory = `${folder.path}/state`;
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { ...realClock, now: () => now };
  const another = () =>
    createAttempts({ directory, clock, locks: createLocks({ directory: `${directory}/locks`, clock }) });
  return {
    another,
    path: `${directory}/attempts.json`,
    jump: (ms: number) => {
      now += ms;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('[A-163][A-78][A-56] three an hour for one name, whichever process asks; every other name has its own', async () => {
  await using at = await place();
  const taken = await Promise.all(Array.from({ length: 10 }, () => at.another().take('one', 3)));
  assert.equal(taken.filter((took) => took).length, 3);
  assert.equal(await at.another().take('other', 3), true);
  at.jump(hour - 1);
  assert.equal(await at.another().take('one', 3), false);
  at.jump(1);
  assert.equal(await at.another().take('one', 3), true);
  const kept = Object.keys(JSON.parse(await readFile(at.path, 'utf8')).entries);
  assert.equal(kept.length, 1, 'what is over is not kept');
  assert.doesNotMatch(kept.join(' '), /one|other/, 'the file tells no names');
  for (let count = 0; count < 2; count += 1) assert.equal(await at.another().take('one', 3), true);
  await at.another().forget('one');
  assert.equal(await at.another().take('one', 3), true);
});

test('[A-140] a clock that is set back neither frees anybody nor locks him out for longer than an hour', async () => {
  await using at = await place();
  for (let count = 0; count < 3; count += 1) await at.another().take('one', 3);
  at.jump(-24 * hour);
  assert.equal(await at.another().take('one', 3), false);
  await at.another().take('other', 3); // writes, and thereby notes the new time
  at.jump(hour);
  assert.equal(await at.another().take('one', 3), true);
});

test('a file of attempts that is not understood counts as none; one that others can write is refused', async () => {
  await using at = await place();
  await at.another().take('one', 1);
  for (const text of ['', '{', '[]', '{"entries":[]}', '{"entries":{"one":"x"}}', '{"entries":{"one":["x"]}}']) {
    await writeFile(at.path, text);
    assert.equal(await at.another().take('one', 1), true, text);
  }
  await chmod(at.path, 0o666);
  await failureOf(at.another().take('one', 1), 'state_unsafe');
});
