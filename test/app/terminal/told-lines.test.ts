import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../../support/home.js';
import { needs } from '../../support/needs.js';
import { programCommand, startProgram } from '../../support/program.js';
import { startAtTerminal } from '../../support/pty.js';

const sentence = 'EVERY LOGIN IS ALLOWED (--approve): nobody is asked, all are alice.';

test('what is told is broken between words at a terminal, and not at all in a pipe', {
  skip: needs('script'),
}, async () => {
  await using home = await makeHome();
  const words = ['sandbox', '--approve', '--no-color'];
  await using narrow = await startAtTerminal(home, programCommand(words), { stdout: 'terminal', columns: 40 });
  await narrow.screen.waitForStdout(/Ctrl-C ends it/);
  const lines = narrow.screen.stdout.split(/\r?\n/);
  const at = lines.findIndex((line) => line.startsWith('EVERY LOGIN'));
  assert.deepEqual(lines.slice(at, at + 2), ['EVERY LOGIN IS ALLOWED (--approve):', 'nobody is asked, all are alice.']);
  for (const line of lines) assert.ok(line.length <= 40 || /^ *(?:postern|http)/.test(line), line);
  narrow.type('\x03');
  await using piped = startProgram(home, words);
  await piped.waitForStderr(/Ctrl-C ends it/);
  assert.ok(piped.stderr.split('\n').includes(sentence), piped.stderr);
});
