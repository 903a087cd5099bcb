import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patientTimer } from '../../src/http/deadline.js';

/** As a SIGSTOP or a sleeping machine does, nothing runs for so long. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('[A-140] a limit that passed while the process was paused leaves time to read what came meanwhile', async () => {
  let late = 0;
  const timer = patientTimer(50, () => {
    late += 1;
  });
  freeze(1_200);
  await new Promise((resolve) => setTimeout(resolve, 200));
  timer.stop();
  assert.equal(late, 0);
});

test('[R-8.1] a limit that passes while the process runs is kept', async () => {
  await new Promise<void>((resolve) => void patientTimer(20, resolve));
});
