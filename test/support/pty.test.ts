import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from './home.js';
import { needs } from './needs.js';
import { startAtTerminal } from './pty.js';

const skip = needs('script');
const looks = 'for n in 0 1 2; do [ -t $n ] && printf "$n " >&2; done; echo ready >&2; ';

test('at a terminal a program can be typed to, and its stdout kept apart', { skip }, async () => {
  await using home = await makeHome();
  const command = ['sh', '-c', `${looks} read line; echo "got $line"; exit 7`];
  await using terminal = await startAtTerminal(home, command, { stdout: 'file', columns: 80 });
  await terminal.screen.waitForStdout(/0 2 ready/);
  terminal.type("it's typed\r");
  assert.equal((await terminal.screen.finished).code, 7);
  assert.equal(await terminal.result(), "got it's typed\n");
});

test('at a terminal Ctrl-C reaches the program', { skip }, async () => {
  await using home = await makeHome();
  const command = ['sh', '-c', `trap 'echo interrupted; exit 130' INT; ${looks} read line`];
  await using terminal = await startAtTerminal(home, command, { stdout: 'terminal', columns: 80 });
  await terminal.screen.waitForStdout(/0 1 2 ready/);
  terminal.type('\x03');
  assert.equal((await terminal.screen.finished).code, 130);
  assert.match(terminal.screen.stdout, /interrupted/);
});
