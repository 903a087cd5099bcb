import { createKeyboard, QuietKeys } from '../../../src/app/terminal/quiet-keys.js';

// A program that is stopped just when it has set its terminal, and ends with 7 when it is told to (SIGUSR2): at once (`exit`),
// or by itself as it listens no more (`leave`).

const { stdin } = process;
const setRawMode = stdin.setRawMode.bind(stdin);
stdin.setRawMode = (raw) => {
  setRawMode(raw);
  if (raw) process.kill(process.pid, 'SIGSTOP');
  return stdin;
};
process.exitCode = 7;
process.once('SIGUSR2', () => {
  if (process.argv[2] === 'exit') process.exit();
  listening[Symbol.dispose]();
});
const keys = new QuietKeys(
  createKeyboard(() => stdin),
  () => undefined,
);
const listening = keys.listen(() => undefined);
