import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';

test('what is wrong in the words is said first, exit 2, with or without a person there', async () => {
  await using home = await makeHome();
  const server = 'https://server.invalid/mcp';
  for (const [words, said] of [
    [['logout'], /postern logout --help/],
    [['logout', server, '--all'], /postern logout --help/],
    [['login', server, '--store', 'nope'], /--store cannot be used[\s\S]*postern login --help/],
    [['login', 'no-such-login', '--store', 'nope'], /--store cannot be used/],
    [['login', 'no-such-login', '--browser-with', 'nope'], /--browser-with cannot be used/],
    [['login', 'no-such-login', '--scope', 'a"b'], /--scope cannot be used/],
    [['login', 'no-such-login', '--name', 'a/b'], /a\/b/],
    [['login', 'no-such-login', '--client-secret-stdin'], /--client-id/],
    [['login', 'no-such-login', '--client-key-file', 'k', '--client-id', 'c'], /--client-credentials/],
    [['login', '--from', 'cursor', '--all', '--store', 'nope'], /--store cannot be used/],
    [['login', '--expired', '--store', 'nope'], /--store cannot be used/],
    [['rename', 'no-such-login', 'a/b'], /a\/b/],
    [['client-metadata', 'init', '--url', 'https://a.example/x', '--store', 'nope'], /--store cannot be used/],
    [['client-metadata'], /needs an action: /],
  ] as const) {
    const ended = await runProgram(home, [...words, '--non-interactive']);
    assert.equal(ended.code, 2, words.join(' '));
    assert.match(ended.stderr, said);
  }
});

test('login --from --all of many servers says how many and which, and needs --yes where nobody can be asked', async () => {
  await using home = await makeHome();
  const servers = Object.fromEntries(
    Array.from({ length: 7 }, (_, at) => [`server-${at}`, { url: `http://127.0.0.1:1/mcp/${at}` }]),
  );
  await mkdir(join(home.path, '.cursor'));
  await writeFile(join(home.path, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  const words = ['login', '--from', 'cursor', '--all', '--store', 'file', '--no-browser'];
  const refused = await runProgram(home, words);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /log in to 7 servers \(server-0, [^)]*server-4 and 2 more\)/);
  assert.match(refused.stderr, /Run: postern login --from cursor --all --yes --no-browser --store file\n/);
  assert.equal((await runProgram(home, [...words, '--json'])).code, 2);
  const tried = await runProgram(home, [...words, '--yes']);
  assert.match(tried.stdout, /Logged in to 0 servers of 7; 7 failed/);
});

test('without HOME, as a user whom the system does not know: what needs no folder works, the rest says so', {
  skip: needs('root'),
}, async () => {
  const folders = { POSTERN_CONFIG_DIR: '/nowhere/config', POSTERN_STATE_DIR: '/nowhere/state' };
  const run = (words: readonly string[], env = {}) =>
    new Promise<readonly [code: unknown, said: string]>((ended) => {
      const stranger = { uid: 12345, env: { PATH: process.env['PATH'], ...env } };
      execFile(process.execPath, ['bin/postern.js', ...words], stranger, (error, stdout, stderr) =>
        ended([error?.code ?? 0, stdout + stderr]),
      );
    });
  for (const words of [['version'], ['--version'], ['--help'], ['login', '--help'], ['help', 'stores']]) {
    const [code, said] = await run(words);
    assert.equal(code, 0, said);
  }
  for (const words of [
    ['status'],
    ['token', 'x'],
    ['credential', 'headers', 'x'],
    ['doctor'],
    ['setup', 'claude', 'x'],
  ]) {
    const [code, said] = await run(words);
    assert.match(said, /HOME is not set\..*\bHOME=/s);
    assert.equal(code, 2, said);
  }
  assert.deepEqual(await run(['__complete', 'zsh', 'token', '']), [0, '']);
  const [code, said] = await run(['token', 'x'], folders);
  assert.equal(code, 3, said);
});
