import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage, type Stage } from '../e2e/stage.js';
import { isTaken, logIn, recordOf, refreshTokensSent } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { letExpire, rounds } from './expiry.js';

const skip = needs('gnome-keyring', 'secret-tool');
const marginMs = 60_000;
// Two show both moments: the margin reached before they start, and while they do.
const runs = rounds('POSTERN_ENDURANCE_RUNS', 2, 20);
const processes = runs > 2 ? 50 : 12;

/** Undefined when the keyring itself has crashed in the middle, as it does in one of some thousand times; it runs again then. */
async function askAllAtOnce(stage: Stage): Promise<readonly string[] | undefined> {
  const { serverUrl } = stage.sandbox;
  // So many at once on a machine with two processors, busy with other things, too: not a test of how long that takes.
  const home = { ...stage.home, env: { ...stage.home.env, POSTERN_STORE_SECONDS: '60' } };
  const all = await Promise.all(Array.from({ length: processes }, () => runProgram(home, ['token', serverUrl])));
  if (all.some(({ code }) => code === 7) && (await stage.keyring.revive())) return undefined;
  for (const { code, stderr } of all) assert.deepEqual([code, stderr], [0, '']);
  return all.map(({ stdout }) => stdout.trim());
}

test(`[A-134][R-5.8a] ${processes} processes at the moment of expiry, ${runs} times: one refresh each time, every printed token valid`, {
  skip,
}, async (context) => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  let crashes = 0;
  for (let run = 1; run <= runs; run += 1) {
    const before = refreshTokensSent(stage).length;
    // In odd runs the margin is reached while they start: some still see a token that will do, the others do not.
    const old = await letExpire(stage, key, marginMs + (run % 2) * 250);
    const answers = await askAllAtOnce(stage);
    if (answers === undefined) {
      crashes += 1;
      assert.ok(crashes <= 2, 'the keyring is not what is tested here');
      await logIn(stage);
      run -= 1;
      continue;
    }
    const printed = new Set(answers);
    const sent = refreshTokensSent(stage).slice(before);
    assert.deepEqual(sent, [old.refreshToken], `run ${run}`);
    printed.delete(old.accessToken);
    assert.equal(printed.size, 1, `run ${run}: one new token for all`);
    for (const token of [old.accessToken, ...printed]) assert.ok(await isTaken(stage, token));
  }
  assert.equal(recordOf(stage).dead, undefined, 'no replay was ever detected');
  const all = refreshTokensSent(stage);
  assert.equal(new Set(all).size, all.length, 'each refresh token was used once');
  assert.ok(all.length >= runs && all.length <= runs + crashes);
  context.diagnostic(
    `${runs} runs of ${processes} processes: ${all.length} refreshes; the keyring crashed ${crashes} times`,
  );
});
