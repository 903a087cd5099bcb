import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeWith } from '../login/status/home-with.js';

const server = 'https://a.example/mcp';

/** Every command that takes the name of a login, with the mistyped one at its place. */
const lines: readonly (readonly string[])[] = [
  ['call', 'wrok'],
  ['shell', 'wrok'],
  ['proxy', 'wrok'],
  ['token', 'wrok', '--header'],
  ['exec', 'wrok', '--', 'env'],
  ['credential', 'headers', 'wrok'],
  ['setup', 'cursor', 'wrok'],
  ['status', 'wrok'],
  ['whoami', 'wrok', '--check'],
  ['logout', 'wrok'],
  ['rename', 'wrok', 'other'],
  ['switch', 'wrok', 'me'],
];

test('a name that no login has is told in one form by every command, with the line to type; nothing is asked', async () => {
  await using at = await homeWith({ name: 'work', server });
  for (const line of lines) {
    const shown = line.join(' ');
    const { code, stdout, stderr } = await at.run('-v', ...line);
    assert.deepEqual([code, stdout], [3, ''], shown);
    assert.doesNotMatch(stderr, /^request /m, shown);
    assert.match(stderr, /postern: No login named "wrok"\.\s+Did you mean "work"\? Run: postern /, shown);
    const plain = await at.run(...line);
    assert.ok(plain.stderr.includes(`Run: postern ${shown.replace('wrok', 'work')}`), plain.stderr);
    const json = await at.run('--json', ...line);
    const { error } = JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '');
    assert.deepEqual([json.code, error.exit, error.code], [3, 3, 'login_needed'], shown);
  }
});

test('without a near one the names there are, then how to log in; values of options are not repeated', async () => {
  await using at = await homeWith({ name: 'work', server }, { name: 'home', server: 'https://b.example/mcp' });
  assert.match((await at.run('token', 'nothing')).stderr, /No login named "nothing"\.\s+You have: work, home\./);
  const secret = await at.run('call', 'wrok', 'echo', 'password=hunter2');
  assert.match(secret.stderr, /Did you mean "work"\?\n/);
  assert.doesNotMatch(secret.stderr, /hunter2/);
  const selector = await at.run('call', 'work.note_add', 'text=hunter2');
  assert.match(selector.stderr, /Did you mean "work"\?\n/);
  assert.doesNotMatch(selector.stderr, /hunter2/);
  assert.match((await at.run('call', '@work', 'echo')).stderr, /Run: postern call work echo\n/);
  assert.match((await at.run('token', 'work.echo')).stderr, /Run: postern token work\n/);
  const valued = await at.run('token', '--account', 'hunter2', 'wrok');
  assert.doesNotMatch(valued.stderr, /hunter2/);
  assert.match(valued.stderr, /Did you mean "work"\?\n/);
  const typed = await at.run('login', 'wrok');
  assert.deepEqual([typed.code, /No login named "wrok"[\s\S]*postern login work/.test(typed.stderr)], [2, true]);
  const url = await at.run('request', 'wrok');
  assert.deepEqual([url.code, url.stderr.includes(`Did you mean ${server} (login "work")?`)], [2, true], url.stderr);
  const bare = await at.run('token', 'a.example/mcp');
  assert.match(bare.stderr, /Run: postern token work/);
  const schemeless = await at.run('call', 'c.example/mcp');
  assert.deepEqual([schemeless.code, /Did you mean https:\/\/c\.example\/mcp\?/.test(schemeless.stderr)], [2, true]);
  await using none = await homeWith();
  assert.match((await none.run('bridge', 'work')).stderr, /Run: postern login URL --name work/);
  assert.equal((await none.run('bridge', 'work')).code, 3);
});
