import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../../support/home.js';
import { type Keyring, startKeyring } from '../../support/keyring.js';
import { needs } from '../../support/needs.js';
import { runProgram } from '../../support/program.js';
import { repositoryRoot } from '../../support/repository.js';
import { type StoredLogin, storeLogin } from '../../support/stored-login.js';

const skip = needs('gnome-keyring', 'dbus');
const built = join(repositoryRoot, 'dist', 'hot-path.js');
const inAnHour = () => Date.now() + 3_600_000;

/** What the hot path prints; undefined when it leaves the command to the whole program, having printed nothing. */
function hotPathOf(home: Home, argv: readonly string[]): string | undefined {
  const script = `
    require(${JSON.stringify(built)}).hotPath(process.argv.slice(1)).then(({ done }) => process.exit(done ? 0 : 99))`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script, '--', ...argv], {
    env: home.env,
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  assert.ok(status === 0 || (status === 99 && stdout === ''), `${status} ${stdout}`);
  return status === 0 ? stdout : undefined;
}

const shortWay = (home: Home, ...args: string[]) => hotPathOf(home, ['token', ...args]);

async function stage(keyring: Keyring, ...logins: StoredLogin[]): Promise<Home> {
  const home = await makeHome(keyring.env);
  for (const login of logins) await storeLogin(home, login);
  return home;
}

const work = { server: 'https://a.example/mcp', name: 'work', accessToken: 'token-of-work' };

test('a valid token is printed in every form as the whole program prints it', { skip }, async () => {
  await using keyring = await startKeyring();
  await using home = await stage(keyring, { ...work, expiresAt: inAnHour() });
  for (const server of ['work', 'https://a.example/mcp', 'https://A.example:443/mcp', 'https://a.example/mcp/below']) {
    assert.equal(shortWay(home, server), 'token-of-work\n', server);
  }
  for (const options of [[], ['--header'], ['--json'], ['--account', 'default'], ['--min-ttl=10']]) {
    const whole = await runProgram(home, ['token', 'work', ...options, '--verbose']);
    assert.equal(whole.code, 0, whole.stderr);
    assert.equal(shortWay(home, 'work', ...options), whole.stdout);
    assert.equal((await runProgram(home, ['token', 'work', ...options])).stdout, whole.stdout);
  }
  assert.equal(shortWay(home, 'work', '--header'), 'Authorization: Bearer token-of-work\n');
});

test('whatever is unusual is left to the whole program, which says what it is', { skip }, async () => {
  await using keyring = await startKeyring();
  await using home = await stage(
    keyring,
    { ...work, expiresAt: inAnHour() },
    { ...work, name: 'soon', server: 'https://b.example/mcp', expiresAt: Date.now() + 50_000 },
    { ...work, name: 'other', server: 'https://c.example/mcp', account: 'one', expiresAt: inAnHour() },
    { ...work, name: 'more', server: 'https://c.example/mcp', account: 'two', expiresAt: inAnHour() },
  );
  const left: readonly (readonly [readonly string[], number | RegExp])[] = [
    [['soon'], 3],
    [['nowhere'], 3],
    [['https://c.example/mcp'], 2],
    [['work', '--account', 'nobody'], 3],
    [['work', '--min-ttl', '4000'], 3],
    [['https://a.example/mcp-evil'], 3],
    [['https://a.example/mcp/../x'], 3],
    [['work', '--nope'], 2],
    [['work', 'more'], 2],
    [[], 2],
    [['work', '--help'], 0],
  ];
  for (const [args, exit] of left) {
    assert.equal(shortWay(home, ...args), undefined, args.join(' '));
    assert.equal((await runProgram(home, ['token', ...args])).code, exit, args.join(' '));
  }
  assert.equal(shortWay(home, 'https://c.example/mcp', '--account', 'two'), 'token-of-work\n');
});

test('who asks again within seconds gets the stored token by the hot path', { skip }, async () => {
  await using keyring = await startKeyring();
  const refresh = { token: 'refresh-of-work', endpoint: 'http://127.0.0.1:9/token' };
  await using home = await stage(keyring, { ...work, refresh, expiresAt: inAnHour() });
  const ask = (name: string) => hotPathOf(home, ['credential', 'headers', name]);
  const first = ask('work');
  assert.match(first ?? '', /Bearer token-of-work/);
  for (let times = 0; times < 3; times += 1) assert.equal(ask('work'), first);
});

test('an item of another login is printed by neither way [A-169]', { skip }, async () => {
  await using keyring = await startKeyring();
  await using home = await stage(keyring, { ...work, boundTo: 'somebody-else', expiresAt: inAnHour() });
  assert.equal(shortWay(home, 'work'), undefined);
  const { code, stdout, stderr } = await runProgram(home, ['token', 'work']);
  assert.deepEqual([code, stdout], [7, '']);
  assert.doesNotMatch(stderr, /token-of-work/);
});

test('a keychain that is locked, paused or gone is left to the whole program', { skip }, async () => {
  await using keyring = await startKeyring();
  await using home = await stage(keyring, { ...work, expiresAt: inAnHour() });
  keyring.pause();
  assert.equal(shortWay(home, 'work'), undefined);
  keyring.resume();
  assert.equal(shortWay(home, 'work'), 'token-of-work\n');
  await keyring.lock();
  assert.equal(shortWay(home, 'work'), undefined);
  assert.equal((await runProgram(home, ['token', 'work'])).code, 7);
  await keyring.killService();
  assert.equal(shortWay(home, 'work'), undefined);
});

test('an index that others can write is used by neither way', { skip }, async () => {
  await using keyring = await startKeyring();
  await using home = await stage(keyring, { ...work, expiresAt: inAnHour() });
  await chmod(join(home.path, 'state', 'postern', 'logins.json'), 0o666);
  assert.equal(shortWay(home, 'work'), undefined);
  const { code, stdout } = await runProgram(home, ['token', 'work']);
  assert.deepEqual([code, stdout], [7, '']);
});
