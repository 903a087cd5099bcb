import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';

async function loginAs(stage: Stage, account: string, person: string): Promise<void> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--account', account, '--no-browser');
  await walkLogin(await authorizationUrlOf(login), { account: person });
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
}

test('two accounts of one server live side by side; logging one out leaves the other', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await loginAs(stage, 'work', 'alice');
  await loginAs(stage, 'home', 'bob');
  const whoIs = async (account: string): Promise<string> => {
    const { code, stdout, stderr } = await stage.run('call', serverUrl, 'whoami', '--account', account);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  assert.match(await whoIs('work'), /alice/);
  assert.match(await whoIs('home'), /bob/);
  const tokenOf = (account: string) => stage.run('token', serverUrl, '--account', account);
  assert.notEqual((await tokenOf('work')).stdout, (await tokenOf('home')).stdout);

  const logout = await stage.run('logout', serverUrl, '--account', 'work');
  assert.equal(logout.code, 0, logout.stderr);
  const gone = await tokenOf('work');
  assert.deepEqual([gone.code, gone.stdout], [3, ''], gone.stderr);
  assert.match(await whoIs('home'), /bob/);
});

test('a login that has ended names the command that renews it; obeyed, that very account is back, the other is as it was', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await loginAs(stage, 'work', 'alice');
  await loginAs(stage, 'home', 'bob');
  const tokenOf = (account: string, ...more: string[]) => stage.run('token', serverUrl, '--account', account, ...more);
  const before = (await tokenOf('work')).stdout;
  stage.sandbox.setFaults(['refresh-invalid-grant']);
  const ended = await tokenOf('home', '--min-ttl', '300');
  assert.equal(ended.code, 3, ended.stderr);
  stage.sandbox.setFaults([]);
  const [, words = ''] = /Run: postern (login localhost-home)$/m.exec(ended.stderr) ?? [];
  await using again = stage.start(...words.split(' '), '--no-browser');
  await walkLogin(await authorizationUrlOf(again), { account: 'bob' });
  assert.equal((await again.finished).code, 0);
  const who = await stage.run('call', serverUrl, 'whoami', '--account', 'home');
  assert.match(who.stdout, /bob/);
  assert.equal((await tokenOf('work')).stdout, before);
});

test('the name of one account stands for its server where another account is named with it', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await loginAs(stage, 'work', 'alice');
  await loginAs(stage, 'home', 'bob');
  const logout = await stage.run('logout', 'localhost-work', '--account', 'home');
  assert.equal(logout.code, 0, logout.stderr);
  assert.equal((await stage.run('token', serverUrl, '--account', 'home')).code, 3);
  assert.equal((await stage.run('token', 'localhost-work')).code, 0);
  const unknown = await stage.run('logout', 'localhost-work', '--account', 'nobody');
  assert.deepEqual([unknown.code, unknown.stdout], [3, '']);
});

test('[A-199] accounts and servers that look like paths, or like each other when joined: each has an item of its own, under a name of 64 hex digits', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  const before = await readdir(stage.home.path, { recursive: true });
  const accounts = ['../../x', 'a|b', 'a', `${serverUrl}|a`, 'x'.repeat(200)];
  const logins = [
    ...accounts.map((account) => [serverUrl, account] as const),
    [`${serverUrl}?q=../../x`, 'a'] as const,
  ];
  for (const [server, account] of logins) {
    await using login = stage.start('login', server, '--account', account, '--no-browser', '--force');
    await walkLogin(await authorizationUrlOf(login));
    assert.equal((await login.finished).code, 0, `${account}: ${login.stderr}`);
  }
  const items = await stage.items();
  assert.equal(new Set(items.map(({ account }) => account)).size, logins.length);
  for (const { account } of items) assert.match(account, /^[0-9a-f]{64}$/);
  const made = (await readdir(stage.home.path, { recursive: true })).filter((path) => !before.includes(path));
  for (const path of made) assert.match(path, /^state\/postern(?:$|\/[\w.-]+(?:$|\/[\w.-]+$))/);
});
