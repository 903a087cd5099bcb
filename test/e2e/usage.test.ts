import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { runProgram } from '../support/program.js';

test('what is wrong in the words is said first, exit 2, with or without a person there', async () => {
  await using home = await makeHome();
  const server = 'https://server.invalid/mcp';
  for (const [words, said] of [
    [['logout'], /postern help logout/],
    [['logout', server, '--all'], /postern help logout/],
    [['login', server, '--store', 'nope'], /--store cannot be used/],
    [['client-metadata'], /needs an action: /],
  ] as const) {
    const ended = await runProgram(home, [...words, '--non-interactive']);
    assert.equal(ended.code, 2, words.join(' '));
    assert.match(ended.stderr, said);
  }
});
