import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { launcher, programCommand, runProgram, startProgram } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { temporaryFolder } from '../support/temporary.js';
import { seed, server, token, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');

test('stdin that never ends keeps nobody waiting, where the format does not define it', { skip }, async () => {
  await using seeded = await seed(work());
  for (const words of [
    ['headers', 'work'],
    ['token', 'work'],
    ['env', 'work'],
    ['goauth', server],
    ['git', 'store'],
    ['git', 'capability'],
  ]) {
    await using program = startProgram(seeded.home, ['credential', ...words, '--timeout', '60']);
    program.stdin.write('x'.repeat(1000)); // and it stays open
    const { code, stderr } = await program.finished;
    assert.deepEqual([code, stderr], [0, ''], words.join(' '));
  }
});

test('[A-178] where the format defines it, stdin is read to the end of the request, and no longer than 5 s', {
  skip,
}, async () => {
  await using seeded = await seed(work());
  const ask = (words: readonly string[]) => startProgram(seeded.home, ['credential', ...words, '--timeout', '60']);
  {
    await using git = ask(['git', 'get']);
    git.stdin.write('protocol=https\nhost=mcp.example\npath=mcp\n\n'); // and it stays open
    assert.match((await git.finished).stdout, /^username=oauth2\n/);
  }
  {
    await using bazel = ask(['bazel', 'get']);
    bazel.stdin.write('{"uri":');
    bazel.stdin.write(`"${server}"}\n`);
    assert.match((await bazel.finished).stdout, /^\{"headers":\{"Authorization"/);
  }
  for (const words of [
    ['git', 'get'],
    ['bazel', 'get'],
  ]) {
    await using silent = ask(words);
    const { code, stdout, stderr } = await silent.finished;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /did not end within 5 s[^\n]+request_unusable, exit 1\]\n$/);
  }
  await using flood = ask(['git', 'get']);
  flood.stdin.write('protocol=https\nhost=');
  flood.stdin.write('a'.repeat(2_000_000));
  const { code, stdout, stderr } = await flood.finished;
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /request_unusable/);
});

test('stdin that is closed, a file or nothing at all is no reason to stop', { skip }, async () => {
  await using seeded = await seed(work());
  const [node, script] = programCommand([]);
  const run = (line: string) =>
    spawnSync('sh', ['-c', line, 'sh', node, script ?? ''], {
      cwd: seeded.home.path,
      env: seeded.home.env,
      encoding: 'utf8',
    });
  for (const ending of ['</dev/null', '<&-', '</etc/passwd']) {
    const { status, stdout } = run(`"$1" "$2" credential token work ${ending}`);
    assert.deepEqual([status, stdout], [0, `${token}\n`], ending);
  }
  const { status, stdout } = run(
    'printf "protocol=https\\nhost=mcp.example\\npath=mcp\\n\\n" >ask; "$1" "$2" credential git get <ask',
  );
  assert.equal(status, 0);
  assert.match(stdout, /^username=oauth2\n/);
  assert.deepEqual([run('"$1" "$2" credential git get </dev/null').stdout], ['']);
});

test('[A-190] nothing is shown on a terminal unless asked for; nobody who reads is exit code 1', {
  skip: skip || needs('script'),
}, async () => {
  await using seeded = await seed(work());
  const command = programCommand(['credential', 'header', 'work', '--timeout', '60']);
  await using hidden = await startAtTerminal(seeded.home, command, { stdout: 'terminal', columns: 200 });
  const refused = await hidden.screen.finished;
  assert.equal(refused.code, 2);
  assert.match(refused.stdout, /terminal_output, exit 2/);
  assert.doesNotMatch(refused.stdout, /tok\.en/);
  await using mistyped = await startAtTerminal(seeded.home, programCommand(['credential', 'headers']), {
    stdout: 'terminal',
    columns: 200,
  });
  assert.equal((await mistyped.screen.finished).code, 2);
  const { stdout: status } = await runProgram(seeded.home, ['status']);
  assert.doesNotMatch(status, /Last failure/, 'whoever typed them has read why');
  await using shown = await startAtTerminal(seeded.home, [...command, '--show-secret'] as typeof command, {
    stdout: 'terminal',
    columns: 200,
  });
  assert.match((await shown.screen.finished).stdout, /Authorization: Bearer tok\.en/);
  const [node, script] = programCommand([]);
  const closed = spawn(
    'sh',
    ['-c', `("$1" "$2" credential token work; echo $? >&2) | exec true`, 'sh', node, script ?? ''],
    { env: seeded.home.env },
  );
  const said: string[] = [];
  closed.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text));
  await once(closed, 'close');
  assert.match(said.join(''), /\n?1\n$/);
});

test('with an empty environment the bus is found by the platform’s rule, the home by the password file, from any folder', {
  skip: skip || needs('root', 'unshare'),
}, async () => {
  await using seeded = await seed(work({ accessToken: 'not-this-one' }));
  await using home = await temporaryFolder();
  // A login made with nothing set: its files lie below the home of the password file, here a folder mounted there.
  const plain = { path: home.path, env: { ...seeded.keyring.env, PATH: '/usr/bin:/bin', HOME: home.path } };
  const { storeLogin } = await import('../support/stored-login.js');
  await mkdir(join(home.path, '.local'), { mode: 0o700 });
  await storeLogin({ ...plain, [Symbol.asyncDispose]: async () => undefined }, work());
  const user = process.geteuid?.() ?? 0;
  const runtime = join(home.path, 'run');
  await mkdir(join(runtime, String(user)), { recursive: true, mode: 0o700 });
  const socket = (seeded.keyring.env['DBUS_SESSION_BUS_ADDRESS'] ?? '').replace('unix:path=', '');
  await symlink(socket, join(runtime, String(user), 'bus'));
  const inside = [
    `mount --bind ${runtime} /run/user`,
    `mount --bind ${home.path} "$(getent passwd ${user} | cut -d: -f6)"`,
    `cd / && exec env -i ${process.execPath} ${launcher} credential headers work "$@"`,
  ].join(' && ');
  for (const more of [[], ['--verbose']]) {
    const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', inside, 'sh', ...more], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [0, `{"Authorization":"Bearer ${token}"}\n`], stderr);
  }
});
