import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCanaries } from '../support/canary.js';
import { makeHome } from '../support/home.js';
import { runHere } from '../support/in-process.js';

test('[A-267] names that a shell, a path or a terminal could take for something else are refused, and nothing is asked', async () => {
  await using home = await makeHome();
  await using canaries = await startCanaries();
  const server = `http://127.0.0.1:${canaries.ports['127.0.0.1']}/mcp`;
  const names = ['../../.ssh/x', 'CON', '-rf', 'a b', 'a\nb', 'x'.repeat(10_000), '😀', 'a\u202eb', '.hidden', 'A'];
  for (const name of names) {
    const { code, stdout, stderr } = await runHere(home, ['login', server, '--no-browser', `--name=${name}`]);
    assert.deepEqual([code, stdout], [2, ''], JSON.stringify(name.slice(0, 20)));
    assert.ok(!stderr.includes('\u202e') && stderr.length < 2_000, stderr.slice(0, 200));
  }
  assert.deepEqual(canaries.visits, []);
});

test('[A-269] a pasted address runs nothing and is refused where it is none; no option names a program; -- is understood', async () => {
  await using home = await makeHome();
  const mark = join(home.path, 'mark');
  const servers = [
    `https://evil$(touch ${mark})/`,
    `https://evil\`touch ${mark}\`/`,
    `https://a.example/;touch ${mark}`,
    `javascript:touch`,
    'file:///etc/passwd',
    'https://user:pass@a.example/mcp',
    'https://a.example/mcp#x',
  ];
  for (const server of servers) {
    const { code } = await runHere(home, ['login', server, '--no-browser', '--non-interactive']);
    assert.ok(code === 2 || code === 3 || code === 6, `${server}: ${code}`);
  }
  for (const option of ['--browser=sh -c id', '--hook=x', '--exec=id']) {
    const { code, stderr } = await runHere(home, ['login', 'https://a.example/mcp', option]);
    assert.equal(code, 2, option);
    assert.match(stderr, /usage_wrong/);
  }
  const dashed = await runHere(home, ['token', '--', '-rf']);
  assert.equal(dashed.code, 3, dashed.stderr);
  assert.match(dashed.stderr, /-rf/);
  assert.ok(!(await readdir(home.path)).includes('mark'));
});

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
    const ended = await runHere(home, [...words, '--non-interactive']);
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
  const refused = await runHere(home, words);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /log in to 7 servers \(server-0, [^)]*server-4 and 2 more\)/);
  assert.match(refused.stderr, /Run: postern login --from cursor --all --yes --no-browser --store file\n/);
  assert.equal((await runHere(home, [...words, '--json'])).code, 2);
  const tried = await runHere(home, [...words, '--yes']);
  assert.match(tried.stdout, /Logged in to 0 servers of 7; 7 failed/);
});
