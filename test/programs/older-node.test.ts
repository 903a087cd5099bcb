import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { launcher, startCommand } from '../support/program.js';
import { installed, isMissing } from './stage.js';

test('Node.js 18 is told in one line which Node.js is needed, and which this is', {
  skip: isMissing('node18'),
}, async () => {
  await using home = await makeHome();
  const run = async (...words: string[]) => {
    await using program = startCommand(installed.node18, [launcher, ...words], home);
    program.stdin.end();
    return await program.finished;
  };
  const said = 'postern needs Node.js 20.19 or newer (found 18.20.8).';
  for (const words of [[], ['status'], ['token', 'work'], ['credential', 'git', 'get'], ['--help']]) {
    const { code, stdout, stderr } = await run(...words);
    assert.deepEqual([code, stdout, stderr], [2, '', `${said} [node_too_old, exit 2]\n`], words.join(' '));
  }
  const { error } = JSON.parse((await run('login', 'https://example.com/mcp', '--json')).stderr);
  assert.deepEqual([error.code, error.message, error.exit], ['node_too_old', said, 2]);
});
