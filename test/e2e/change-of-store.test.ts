import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { runProgram, startProgram } from '../support/program.js';
import { openStage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

/** A stage with a key file, and ways to log in there and to see where each login is. */
async function openWithKey() {
  const stage = await openStage();
  const keyFile = join(stage.home.path, 'key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const home = { ...stage.home, env: { ...stage.home.env, POSTERN_STORE_KEY_FILE: keyFile } };
  const run = (...args: string[]) => runProgram(home, args);
  return {
    stage,
    home,
    run,
    logIn: async (...args: string[]) => {
      await using program = startProgram(home, ['login', stage.sandbox.serverUrl, '--no-browser', ...args]);
      await walkLogin(await authorizationUrlOf(program));
      const { code, stderr } = await program.finished;
      assert.equal(code, 0, stderr);
    },
    stores: async () => {
      const { logins } = JSON.parse((await run('status', '--json')).stdout);
      return logins.map(({ account, store }: Record<string, string>) => `${account} ${store}`);
    },
    sealed: async () => {
      const names = await readdir(join(home.path, 'state', 'postern', 'sealed')).catch(() => []);
      return names.filter((name) => name.endsWith('.sealed')).length;
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

test('each login is read from the store that it was recorded in, whatever is chosen for new ones', {
  skip,
}, async () => {
  await using at = await openWithKey();
  await at.logIn('--account', 'one');
  await at.logIn('--account', 'two', '--store', 'file');
  assert.deepEqual(await at.stores(), ['one keychain', 'two file']);
  const server = at.stage.sandbox.serverUrl;
  const tokens = new Set<string>();
  for (const account of ['one', 'two']) {
    const { code, stdout, stderr } = await at.run('token', server, '--account', account);
    assert.equal(code, 0, stderr);
    tokens.add(stdout);
  }
  assert.equal(tokens.size, 2);
  assert.equal((await at.stage.keyring.items()).length, 1);
  assert.equal(await at.sealed(), 1);
});

test('a login that is made again in another store is taken out of the first [A-205]', { skip }, async () => {
  await using at = await openWithKey();
  await at.logIn();
  assert.equal((await at.stage.keyring.items()).length, 1);
  await at.logIn('--store', 'file');
  assert.deepEqual(await at.stage.keyring.items(), []);
  assert.equal(await at.sealed(), 1);
  await at.logIn('--store', 'keychain');
  assert.equal((await at.stage.keyring.items()).length, 1);
  assert.equal(await at.sealed(), 0);
  assert.equal((await at.run('logout', at.stage.sandbox.serverUrl)).code, 0);
  assert.deepEqual(await at.stage.keyring.items(), []);
});

test('a credential helper is a store like the others: login, refresh, logout', {
  skip: needs('gnome-keyring', 'secret-tool', 'docker-credential-secretservice'),
}, async () => {
  await using at = await openWithKey();
  await at.logIn('--store', 'helper:secretservice');
  assert.deepEqual(await at.stores(), ['default helper:secretservice']);
  assert.deepEqual(await at.stage.keyring.items(), [], 'the helper’s item, not one of ours');
  const server = at.stage.sandbox.serverUrl;
  const call = await at.run('call', server, 'whoami');
  assert.match(call.stdout, /^alice/, call.stderr);
  assert.equal((await at.run('logout', server)).code, 0);
  assert.equal((await at.run('token', server)).code, 3);
});

test('a move takes every login to the other store, where it works, and leaves nothing in the first [R-5.8b] [A-205]', {
  skip,
}, async () => {
  await using at = await openWithKey();
  await at.logIn('--account', 'one');
  await at.logIn('--account', 'two');
  const moved = await at.run('move', 'file');
  assert.match(moved.stdout, /^Moved 2 secrets to: a sealed file/, moved.stderr);
  assert.deepEqual(await at.stores(), ['one file', 'two file']);
  assert.deepEqual(await at.stage.keyring.items(), []);
  assert.equal(await at.sealed(), 2);
  const call = await at.run('call', at.stage.sandbox.serverUrl, 'whoami', '--account', 'two');
  assert.match(call.stdout, /^alice/, call.stderr);
  assert.equal((await at.run('move', 'keychain')).code, 0);
  assert.equal((await at.stage.keyring.items()).length, 2);
  assert.equal(await at.sealed(), 0);
});

test('a move to or from a store that cannot be used changes nothing', { skip }, async () => {
  await using at = await openWithKey();
  await at.logIn();
  const keyless = await runProgram(at.stage.home, ['move', 'file']);
  assert.equal(keyless.code, 7);
  assert.match(keyless.stderr, /POSTERN_STORE_KEY_FILE/);
  await at.stage.keyring.lock();
  const locked = await at.run('move', 'file', '--non-interactive');
  assert.equal(locked.code, 7, locked.stdout);
  await at.stage.keyring.unlock();
  assert.deepEqual(await at.stores(), ['default keychain']);
  assert.equal((await at.run('token', at.stage.sandbox.serverUrl)).code, 0);
  assert.equal((await at.run('move', 'plain')).code, 2);
});
