import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readTopic } from '../../src/app/help/topics.js';
import { freePort } from '../support/free-port.js';
import { type Home, makeHomeWithKey } from '../support/home.js';
import { assertMode } from '../support/modes.js';
import { needs } from '../support/needs.js';
import { type Running, runProgram, startCommand, startProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';

// The recipes of `postern help hosts`: a dev container, and a host over SSH, use the login of this machine by a socket.

const ask = ['-H', 'content-type:application/json', '-d', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'];

interface Here extends AsyncDisposable {
  readonly home: Home;
  readonly server: string;
  /** The folder that the socket is in, for its owner alone. */
  readonly folder: string;
  readonly socket: string;
}

/** A login, and `postern proxy work --socket` for it. */
async function proxyHere(): Promise<Here> {
  const sandbox = await startSandbox({ approve: true });
  const home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  const login = await runProgram(home, ['login', sandbox.serverUrl, '--device', '--name', 'work']);
  assert.equal(login.code, 0, login.stderr);
  const folder = join(home.path, 'runtime', 'postern');
  await mkdir(folder, { mode: 0o700 });
  const socket = join(folder, 'proxy.sock');
  const proxy = startProgram(home, ['proxy', 'work', '--socket', socket]);
  await proxy.waitForStdout(/^http:\/\/localhost\/work$/m);
  return {
    home,
    server: sandbox.serverUrl,
    folder,
    socket,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await sandbox.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

async function printedBy(running: Running): Promise<string> {
  running.stdin.end();
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 0, stderr);
  return stdout;
}

test('a container, in a network of its own, uses the login through the folder that is mounted there', {
  skip: needs('unshare', 'root', 'curl'),
}, async () => {
  await using here = await proxyHere();
  const mounted = join(here.home.path, 'run-postern');
  await mkdir(mounted);
  // Stands for the container: no network at all, not even the loopback of this machine, and a mount of its own.
  const lines = [
    `mount --bind '${here.folder}' '${mounted}'`,
    `! curl -s --max-time 5 '${here.server}'`,
    `exec curl -s --unix-socket '${mounted}/proxy.sock' http://localhost/work "$@"`,
  ];
  const words = ['--net', '--mount', 'sh', '-ec', lines.join('\n'), 'sh', ...ask];
  await using container = startCommand('unshare', words, here.home);
  const tools = JSON.parse(await printedBy(container)).result.tools as { name: string }[];
  assert.ok(tools.some(({ name }) => name === 'whoami'));
});

test('a host over SSH uses the login through a forwarded socket, and a program there by a forwarded port and its key', {
  skip: needs('sshd', 'root', 'curl'),
}, async () => {
  await using here = await proxyHere();
  await using host = await sshHost(here.home);
  const [, prepare = 'false'] = /^ {4}folder=\$\(ssh HOST (.+)\)$/m.exec(readTopic('hosts').text) ?? [];
  const folder = (await printedBy(host.ssh([], [`TMPDIR='${here.home.path}'`, prepare, '#']))).trim();
  assertMode(statSync(folder).mode, 0o700);
  const there = join(folder, 'proxy.sock');
  const bySocket = host.ssh(
    ['-R', `${there}:${here.socket}`],
    ['curl', '-s', '--unix-socket', there, 'http://localhost/work'],
  );
  assert.match(await printedBy(bySocket), /"whoami"/);

  await using proxy = startProgram(here.home, ['proxy', 'work']);
  const [address = '', port = ''] = await proxy.waitForStdout(/^http:\/\/127\.0\.0\.1:(\d+)\/\S+$/m);
  const other = await freePort();
  // There the port is the same as here; on one machine it is taken, so that curl is led to another.
  const led = ['--connect-to', `127.0.0.1:${port}:127.0.0.1:${other}`];
  const byPort = host.ssh(['-R', `${other}:127.0.0.1:${port}`], ['curl', '-s', ...led, address]);
  assert.match(await printedBy(byPort), /"whoami"/);
});

interface SshHost extends AsyncDisposable {
  /** Runs a command there, the question behind it. */
  ssh(options: readonly string[], command: readonly string[]): Running;
}

/** An SSH server of Debian's on loopback, which lets the user of this test in by a key made for it. */
async function sshHost(home: Home): Promise<SshHost> {
  const inside = (name: string) => join(home.path, name);
  const run = promisify(execFile);
  for (const name of ['host-key', 'user-key'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', inside(name)]);
  const port = await freePort();
  const configuration = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${inside('host-key')}`,
    `AuthorizedKeysFile ${inside('user-key.pub')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
    'PidFile none',
  ];
  await writeFile(inside('sshd_config'), `${configuration.join('\n')}\n`);
  await mkdir('/run/sshd', { recursive: true }); // what the system makes at its start
  const daemon = startCommand('/usr/sbin/sshd', ['-D', '-e', '-f', inside('sshd_config')], home);
  await daemon.waitForStderr(/Server listening/);
  const quoted = ask.map((word) => `'${word}'`);
  return {
    ssh: (options, command) =>
      startCommand(
        'ssh',
        [
          ...['-F', '/dev/null', '-p', String(port), '-i', inside('user-key'), '-o', 'BatchMode=yes'],
          ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${inside('known')}`],
          ...['-o', 'ExitOnForwardFailure=yes', ...options, 'root@127.0.0.1'],
          ...[...command, ...quoted],
        ],
        home,
      ),
    [Symbol.asyncDispose]: async () => await daemon[Symbol.asyncDispose](),
  };
}
