import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { makeHomeWithKey } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { startProgram } from '../support/program.js';

test('a server that the system has stopped is noticed, and watched again once it goes on', {
  skip: process.platform === 'win32',
}, async () => {
  await using home = await makeHomeWithKey();
  await using sandbox = startProgram(home, ['sandbox', '--approve', '--json', '--lifetime', '2']);
  const [line] = await sandbox.waitForStdout(/^\{.*\}$/m);
  const { server: serverUrl } = JSON.parse(line);
  const made = await runHere(home, ['login', serverUrl, '--device', '--name', 'work', '--store', 'file']);
  assert.equal(made.code, 0, made.stderr);
  await using program = startHere(home, ['call', 'work', '--watch', '--ping', '1']);
  await program.waitForStderr(/Watching work/);
  sandbox.kill('SIGSTOP');
  try {
    await program.waitForStderr(/did not answer a ping within 1 second/);
    await later(1_000);
  } finally {
    sandbox.kill('SIGCONT');
  }
  await program.waitForStderr(/Watching again/);
  program.kill('SIGINT');
  assert.equal((await program.finished).code, 130, program.stderr);
  const after = await runHere(home, ['call', 'work', 'whoami']);
  assert.equal(after.code, 0, `a refresh that was under way is no login lost: ${after.stderr}`);
});
