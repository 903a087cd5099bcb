import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../../e2e/stage.js';
import { makeHomeWithKey } from '../../support/home.js';
import { walkLogin } from '../../support/product.js';
import { runProgram, startProgram } from '../../support/program.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { homeWith } from '../status/home-with.js';

const [a, b] = ['https://a.example/mcp', 'https://b.example/mcp'];

test('a login is renamed, by its name or its address; nothing else of it changes', async () => {
  await using at = await homeWith({ name: 'github-2', server: a }, { name: 'other', server: b });
  const before = await at.named('github-2');
  const { code, stdout } = await at.run('rename', 'github-2', 'work');
  assert.deepEqual([code, stdout], [0, 'github-2 is now called work.\n']);
  assert.deepEqual({ ...(await at.named('work')) }, { ...before, name: 'work' });
  const json = await at.run('rename', b, 'b', '--json');
  assert.deepEqual(JSON.parse(json.stdout), { server: b, account: 'default', before: 'other', name: 'b' });
  assert.equal((await at.run('rename', 'b', 'other')).code, 0, 'its own name of before is free for it');
});

test('a name that is taken, was another server’s, or is none is refused, with what to do', async () => {
  await using at = await homeWith({ name: 'one', server: a }, { name: 'two', server: b });
  const taken = await at.run('rename', 'one', 'two');
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /belongs to the login for "https:\/\/b\.example\/mcp"\.\n.*postern rename two ANOTHER/);
  assert.equal((await at.run('rename', 'two', 'three')).code, 0);
  const others = await at.run('rename', 'one', 'two');
  assert.equal(others.code, 2);
  assert.match(others.stderr, /was that of another server/);
  const [, words = ''] = /postern (rename one two --force)/.exec(others.stderr) ?? [];
  assert.equal((await at.run(...words.split(' '))).code, 0);
  assert.equal((await at.named('two'))?.server, a);
  assert.equal((await at.run('rename', 'two', 'No Name')).code, 2);
  const unknown = await at.run('rename', 'thre', 'four');
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /No login named "thre"\.\n.*Did you mean "three"\? Run: postern rename three four/);
});

test('of several accounts the chosen one is taken, marked, and stays chosen; the names go on meaning their own', async () => {
  await using at = await homeWith(
    { name: 'home', server: a, account: 'me' },
    { name: 'work', server: a, account: 'firm' },
    { name: 'b', server: b },
  );
  const asked = await at.run('token', a);
  assert.equal(asked.code, 2);
  assert.match(
    asked.stderr,
    /Name one with --account: "me", "firm"\. To have one taken from now on: postern switch http/,
  );
  assert.equal((await at.run('switch', a)).code, 2, 'nobody is there to say which');
  assert.match((await at.run('switch', a)).stderr, /Which account\? There are 2 .* "me", "firm"/);
  const done = await at.run('switch', a, 'firm');
  assert.deepEqual(
    [done.code, done.stdout],
    [0, `${a} now means work, also for programs that were set up without an account.\n`],
  );
  const rows = (await at.run('status')).stdout.split('\n');
  assert.match(rows[1] ?? '', /^work .* \* account firm/);
  assert.doesNotMatch(rows[0] ?? '', /default|\*/);
  const taken = await at.run('token', a);
  assert.equal(taken.code, 3, 'its secret is nowhere');
  assert.equal((await at.named('work'))?.gone, true);
  assert.equal((await at.named('home'))?.gone, undefined);
  const json = JSON.parse((await at.run('switch', 'home', '--json')).stdout);
  assert.deepEqual(json, { name: 'home', server: a, account: 'me', isDefault: true });
  assert.deepEqual([(await at.named('home'))?.preferred, (await at.named('work'))?.preferred], [true, undefined]);
  const unknown = await at.run('switch', a, 'nobody');
  assert.match(unknown.stderr, /"nobody"[\s\S]*"me", "firm"/);
});

test('switch takes the person that the server says a login is, as status --check shows, where no account is called so', async () => {
  await using home = await makeHomeWithKey();
  await using sandbox = await startSandbox();
  const server = sandbox.serverUrl;
  for (const [person, ...account] of [['alice'], ['bob', '--account', 'second']]) {
    await using program = startProgram(home, ['login', '--no-browser', '--store', 'file', server, ...account]);
    await walkLogin(await authorizationUrlOf(program), { account: person ?? '' });
    assert.equal((await program.finished).code, 0);
  }
  const switched = async (person: string) =>
    JSON.parse((await runProgram(home, ['switch', server, person, '--json'])).stdout || '{}').account;
  assert.deepEqual(
    [await switched('bob'), await switched('alice'), await switched('mallory')],
    ['second', 'default', undefined],
  );
});
