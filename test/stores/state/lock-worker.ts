import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createLocks } from '../../../src/stores/state/locks.js';
import { realClock } from './real-clock.js';

// A process of the lock tests. `count <folder> <times>`: adds 1 to a counter file so often, each time under the
// lock, and prints each value it made. `hold <folder>`: takes the lock, prints `held`, keeps it.

const [task, folder = '', times = '0'] = process.argv.slice(2);
const locks = createLocks({ directory: `${folder}/locks`, clock: realClock });
const { signal } = new AbortController();

if (task === 'hold') {
  await locks.acquire('counter', { waitMs: 20_000, signal });
  process.stdout.write('held\n');
  setInterval(() => undefined, 1000);
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
