import { createKeyboard } from '../../../src/app/terminal/keyboard.js';

// A program that is stopped just when it has set its terminal, and ends with 7 at SIGUSR2.

const stdin = createKeyboard(() => process.stdin)();
process.once('SIGUSR2', () => process.exit(7));
stdin.setRawMode?.(true);
process.kill(process.pid, 'SIGSTOP');
stdin.resume();
