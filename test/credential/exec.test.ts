import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { authorizationUrlOf, openStage, type Stage } from '../e2e/stage.js';
import { type Home, makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { programCommand, runProgram, startProgram } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { findSecrets } from '../support/secrets-search.js';
import { storeLogin } from '../support/stored-login.js';

const skip = needs('gnome-keyring', 'secret-tool');
const inAnHour = () => Date.now() + 3_600_000;

/** A home with two logins, `work` and `home`, whose tokens are theirs and live for an hour. */
async function twoLogins(): Promise<AsyncDisposable & { readonly home: Home }> {
  const keyring = await startKeyring();
  const home = await makeHome(keyring.env);
  for (const name of ['work', 'home']) {
    const server = `https://${name}.example/mcp`;
    await storeLogin(home, { server, name, accessToken: `canary-token-of-${name}`, expiresAt: inAnHour() });
  }
  return {
    home,
    [Symbol.asyncDispose]: async () => {
      await home[Symbol.asyncDispose]();
      await keyring[Symbol.asyncDispose]();
    },
  };
}

test('the token is in the environment of the command, and nowhere else [R-1.3]', { skip }, async () => {
  await using machine = await twoLogins();
  const look =
    'tr "\\0" "\\n" </proc/$$/environ; cat /proc/$$/cmdline >own; cat /proc/$PPID/cmdline /proc/$PPID/environ >above; read -r end';
  await using program = startProgram(machine.home, [
    ...['exec', 'work', '--var', 'B=home', '--var', 'C_AUTH=home,header', '--', 'sh', '-c', look],
  ]);
  await program.waitForStdout(/^POSTERN_ACCESS_TOKEN=canary-token-of-work$/m);
  program.stdin.end('\n');
  const { code, stdout, stderr } = await program.finished;
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^B=canary-token-of-home$/m);
  assert.match(stdout, /^C_AUTH=Authorization: Bearer canary-token-of-home$/m);
  assert.match(stdout, /^HOME=/m, 'the rest of the environment is there, too');
  const texts = {
    'its arguments': await readFile(join(machine.home.path, 'own'), 'latin1'),
    'arguments and environment of postern': await readFile(join(machine.home.path, 'above'), 'latin1'),
  };
  const secrets = { work: 'canary-token-of-work', home: 'canary-token-of-home' };
  assert.deepEqual(await findSecrets(secrets, { folders: [machine.home.path], texts }), []);
});

test('the command gets its words as they were typed, and its exit code is ours', { skip }, async () => {
  await using machine = await twoLogins();
  const words = ['--json', '-q', '', '--', 'a "b" $HOME `c`', '*', '--min-ttl=x', 'é'];
  const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1))); process.exitCode = 7';
  const finished = await runProgram(machine.home, [
    ...['exec', '--var', 'T=work', '--', process.execPath, '-e', script, '--', ...words],
  ]);
  assert.deepEqual([JSON.parse(finished.stdout), finished.code], [words, 7]);
});

test('signals reach the command, and how it dies is how we do; a dump of memory is left to it', { skip }, async () => {
  await using machine = await twoLogins();
  const script = (text: string) => ['exec', 'work', '--', 'sh', '-c', text];
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) {
    const name = signal.slice(3);
    const waiting = `process.on('${signal}', () => { console.log('got ${name}'); process.exit(5); }); console.log('ready'); setInterval(() => {}, 1000)`;
    await using program = startProgram(machine.home, ['exec', 'work', '--', process.execPath, '-e', waiting]);
    await program.waitForStdout(/ready/);
    program.kill(signal);
    const { code, stdout } = await program.finished;
    assert.deepEqual([code, stdout], [5, `ready\ngot ${name}\n`]);
  }
  for (const [name, code, signal] of [
    ['TERM', null, 'SIGTERM'],
    ['INT', null, 'SIGINT'],
    ['SEGV', 139, null],
    ['KILL', 137, null],
  ] as const) {
    const finished = await runProgram(machine.home, script(`ulimit -c 0; kill -${name} $$`));
    assert.deepEqual([finished.code, finished.signal], [code, signal], name);
  }
});

test('Ctrl-C at the terminal comes once to the command, which decides', {
  skip: needs('gnome-keyring', 'secret-tool', 'script'),
}, async () => {
  await using machine = await twoLogins();
  const script =
    'let n = 0; process.on("SIGINT", () => { n += 1; setTimeout(() => process.exit(10 + n), 300); }); console.log("ready"); setInterval(() => {}, 1000)';
  const command = programCommand(['exec', 'work', '--', process.execPath, '-e', script]);
  await using terminal = await startAtTerminal(machine.home, command, { stdout: 'terminal', columns: 80 });
  await terminal.screen.waitForStdout(/ready/);
  terminal.type('\x03');
  assert.equal((await terminal.screen.finished).code, 11);
});

test('a command that cannot be started is named, with what to do', { skip }, async () => {
  await using machine = await twoLogins();
  const exec = (...words: string[]) => runProgram(machine.home, ['exec', 'work', ...words]);
  const absent = await exec('--', 'no-such-program', 'x');
  assert.deepEqual([absent.code, absent.stdout], [2, '']);
  assert.match(absent.stderr, /There is no program "no-such-program" on the PATH/);
  assert.match(absent.stderr, /command_not_started/);
  const folder = await exec('--', '/');
  assert.match(folder.stderr, /"\/" may not be run/);
  const undashed = await exec('make', 'test');
  assert.match(undashed.stderr, /goes after “--”\..*Did you mean postern exec work -- make\?/s);
  assert.match((await exec('--')).stderr, /needs a command to run, after “--”/);
});

async function loggedIn(accessTokenSeconds: number): Promise<Stage> {
  const stage = await openStage({ accessTokenSeconds });
  await using login = stage.start('login', stage.sandbox.serverUrl, '--name', 'short', '--no-browser');
  await walkLogin(await authorizationUrlOf(login));
  assert.equal((await login.finished).code, 0);
  return stage;
}

test('a token about to expire is refreshed, and where that gives no longer one nothing starts', { skip }, async () => {
  await using stage = await loggedIn(40);
  const before = await stage.token(stage.sandbox.serverUrl);
  const refused = await stage.run('exec', 'short', '--', 'touch', 'started');
  assert.deepEqual([refused.code, refused.stdout], [4, '']);
  assert.match(refused.stderr, /is valid for (?:39|40) s, not the 60 s that were asked for/);
  assert.match(refused.stderr, /--min-ttl/);
  await assert.rejects(readFile(join(stage.home.path, 'started')));
  const fine = await stage.run('exec', 'short', '--min-ttl', '5', '--', 'printenv', 'POSTERN_ACCESS_TOKEN');
  assert.equal(fine.code, 0, fine.stderr);
  assert.notEqual(fine.stdout.trim(), before, 'it was refreshed');
});
