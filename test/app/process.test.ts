import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { needs } from '../support/needs.js';
import { launcher, programCommand, runProgram, startCommand, startProgram } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { repositoryRoot } from '../support/repository.js';

test('the version is that of package.json', async () => {
  await using home = await makeHome();
  const { version } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  for (const args of [['--version'], ['version'], ['token', '--version']]) {
    const { code, stdout, stderr } = await runProgram(home, args);
    assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, '']);
  }
});

test('a checkout that is not built says how to build it', async () => {
  await using home = await makeHome();
  await cp(dirname(launcher), join(home.path, 'bin'), { recursive: true });
  await writeFile(join(home.path, 'package.json'), '{}');
  for (const word of ['status', 'token']) {
    const { status, stderr } = spawnSync(process.execPath, [join(home.path, 'bin', basename(launcher)), word], {
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /npm ci && npm run build\n$/);
  }
});

test('results go to stdout, failures to stderr, the last line of it JSON with --json', async () => {
  await using home = await makeHome();
  const plain = await runProgram(home, ['tokn']);
  assert.deepEqual([plain.code, plain.stdout], [2, '']);
  assert.match(plain.stderr, /"tokn"[\s\S]*postern token\n[\s\S]*\[usage_wrong, exit 2\]\n$/);
  const json = await runProgram(home, ['tokn', '--json']);
  assert.equal(JSON.parse(json.stderr).error.code, 'usage_wrong');
  assert.equal(json.stderr.indexOf('\n'), json.stderr.length - 1);
});

test('an output without a reader ends it with a word, not with a stack', { skip: needs('script') }, async () => {
  await using home = await makeHome();
  const [command, ...args] = programCommand(['--help']);
  const line = [command, ...args].map((word) => `'${word}'`).join(' ');
  await using shell = startCommand('bash', ['-c', `${line} > /dev/full; echo "exit $?"`], home);
  const { stdout, stderr } = await shell.finished;
  assert.equal(stdout, 'exit 1\n');
  assert.match(stderr, /^postern: .*ENOSPC/);
  await using piped = startCommand('bash', ['-c', `${line} | true; echo "exit \${PIPESTATUS[0]}"`], home);
  assert.match((await piped.finished).stdout, /exit [01]\n/);
  assert.doesNotMatch((await piped.finished).stderr, /at .*\.js/);
});

test('a signal ends the program though the system does not come back to it: a named pipe that nobody writes to', {
  skip: process.platform !== 'linux',
  timeout: 30_000,
}, async () => {
  await using home = await makeHome();
  const pipe = join(home.path, 'pipe');
  spawnSync('mkfifo', [pipe]);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    await using child = startProgram(home, ['login', 'http://127.0.0.1:1/mcp', '--header-file', pipe]);
    for (let looks = 0; looks < 250 && !waitsInSystem(child.pid); looks += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill(signal);
    assert.equal((await child.finished).signal, signal);
  }
});

/** Does one of its threads wait for the other side of a named pipe? */
function waitsInSystem(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.some((thread) => readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'utf8').includes('partner'));
}

test('Ctrl-C ends a wait at once with 130, at a terminal and by signal', { skip: needs('script') }, async () => {
  await using home = await makeHome();
  await using sandbox = startProgram(home, ['sandbox']);
  await sandbox.waitForStdout(/http\S+/);
  sandbox.kill('SIGINT');
  assert.equal((await sandbox.finished).code, 130);
  await using terminal = await startAtTerminal(home, programCommand(['sandbox']), { stdout: 'file', columns: 80 });
  await terminal.screen.waitForStdout(/Ctrl-C ends it/);
  terminal.type('\x03');
  assert.equal((await terminal.screen.finished).code, 130);
});

test('what takes a while shows a spinner, but not on a terminal without a size', {
  skip: needs('script'),
}, async () => {
  await using home = await makeHome();
  // Slow enough for the spinner to come.
  await using server = await startHttp((_request, response) => {
    setTimeout(() => response.writeHead(404).end(), 600);
  });
  const command = programCommand(['login', `${server.origin}/mcp`]);
  const spinner = /Asking http/;
  for (const columns of [80, 0]) {
    await using terminal = await startAtTerminal(home, command, { stdout: 'terminal', columns });
    const { code, stdout } = await terminal.screen.finished;
    assert.deepEqual([code, spinner.test(stdout)], [2, columns > 0], stdout);
  }
});
