import { createKeyboard } from '../../../src/app/terminal/keyboard.js';
import { QuietKeys } from '../../../src/app/terminal/quiet-keys.js';

// A program that listens to its keyboard, is stopped, and is ended by `process.exit` in the background: with a code that
// its argument names.

const keys = new QuietKeys(
  createKeyboard(() => process.stdin),
  () => undefined,
);
keys.listen(() => undefined);
process.once('SIGCONT', () => setImmediate(() => process.exit(Number(process.argv[2]))));
process.kill(process.pid, 'SIGSTOP');
