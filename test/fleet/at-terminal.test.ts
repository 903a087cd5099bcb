import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHomeWithKey } from '../support/home.js';
import { needs } from '../support/needs.js';
import { programCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';

test('a keeper at a terminal says how many logins it keeps, and how it is ended', {
  skip: needs('script'),
}, async () => {
  await using home = await makeHomeWithKey();
  await using running = await startAtTerminal(home, programCommand(['keeper']), { stdout: 'terminal', columns: 120 });
  const [shown] = await running.screen.waitForStdout(/^[\s\S]*Keeping logins fresh/);
  assert.match(shown, /No login\b[\s\S]*Ctrl-C/);
  running.type('\x03');
  await running.screen.finished;
});
