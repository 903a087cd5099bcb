import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeHome } from '../../support/home.js';
import { needs } from '../../support/needs.js';
import { startAtTerminal } from '../../support/pty.js';

const worker = fileURLToPath(new URL('./background-worker.js', import.meta.url));

test('a program that was stopped just when it had set the terminal, and ended in the background, leaves the terminal to the shell', {
  skip: needs('script'),
}, async () => {
  await using home = await makeHome();
  // `wait` comes back from what is stopped, too; nothing of it is left.
  const end = 'wait %1; echo "ended with $?"; stty -a; kill -9 %1';
  const script = `set -m; "$@"; echo "left with $?"; stty sane; bg; kill -s USR2 %1; ${end}`;
  const command = ['sh', '-c', script, 'sh', process.execPath, worker];
  await using terminal = await startAtTerminal(home, command, { stdout: 'terminal', columns: 100 });
  const { stdout } = await terminal.screen.finished;
  assert.match(stdout, /left with 1\d\d[\s\S]*ended with 7/);
  const settings = stdout.replaceAll(/\s/g, ' ');
  assert.ok(
    [' icanon', ' echo ', ' isig'].every((setting) => settings.includes(setting)),
    stdout,
  );
});
