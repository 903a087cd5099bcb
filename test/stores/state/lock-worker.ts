import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { Busy } from '../../../src/stores/failures.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import { realClock } from './real-clock.js';

// A process of the lock tests. `count <folder> <times>`: adds 1 to a counter file so often, each time under the
// lock, and prints each value it made. `hold <folder>`: takes the lock, prints `held`, keeps it. `pause <folder>`: as `hold`,
// and does nothing at all from then on. `leave <folder>`: as `hold`, and starts a process that outlives it, whose number it prints.
// `try <folder>`: takes the lock if it is free within 300 ms, prints `held` or `busy`, gives it back.

const [task, folder = '', times = '0'] = process.argv.slice(2);
const locks = createLocks({ directory: `${folder}/locks`, clock: realClock });
const { signal } = new AbortController();

if (task === 'hold' || task === 'pause' || task === 'leave') {
  await locks.acquire('counter', { waitMs: 20_000, signal });
  writeSync(1, `held ${task === 'leave' ? startAnother() : process.pid}\n`);
  if (task === 'pause') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  setInterval(() => undefined, 1000);
} else if (task === 'try') {
  try {
    await using _lock = await locks.acquire('counter', { waitMs: 300, signal });
    process.stdout.write('held\n');
  } catch (error) {
    if (!(error instanceof Busy)) throw error;
    process.stdout.write('busy\n');
  }
} else {
  for (let time = 0; time < Number(times); time += 1) {
    await using _lock = await locks.acquire('counter', { waitMs: 60_000, signal });
    const value = Number(readFileSync(`${folder}/counter`, 'utf8')) + 1;
    await new Promise((resolve) => setImmediate(resolve)); // a holder does something in between
    writeFileSync(`${folder}/counter.${process.pid}`, String(value));
    renameSync(`${folder}/counter.${process.pid}`, `${folder}/counter`);
    process.stdout.write(`${value}\n`);
  }
}

function startAnother(): number | undefined {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  child.unref();
  return child.pid;
}
