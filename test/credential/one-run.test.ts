import assert from 'node:assert/strict';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Sandbox } from '../../src/sandbox/start.js';
import { type Home, makeHome } from '../support/home.js';
import { type Finished, runProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';

const secret = 'kept-from-argv-and-from-disk-0123456789';

/** A CI job: no keychain, no terminal, a client's secret in a file. */
async function withJob(
  use: (run: (...args: readonly string[]) => Promise<Finished>, sandbox: Sandbox, home: Home) => Promise<void>,
): Promise<void> {
  await using sandbox = await startSandbox({
    clients: [{ client_id: 'ci', client_secret: secret, redirect_uris: [] }],
  });
  await using bare = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci' });
  const file = join(bare.path, 'secret');
  await writeFile(file, `${secret}\n`);
  await chmod(file, 0o600);
  const home = { ...bare, env: { ...bare.env, POSTERN_CLIENT_SECRET_FILE: file } };
  const options = ['--client-credentials', '--authorization-server', sandbox.issuer, '--store', 'memory'];
  await use((...args) => runProgram(home, withOptions(args, options)), sandbox, home);
}

/** Options stand before `--`. */
function withOptions(args: readonly string[], options: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? [...args, ...options] : [...args.slice(0, end), ...options, ...args.slice(end)];
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map(({ name }) => name);
}

test('one line in CI calls a tool, prints a token, runs a command and answers a helper, and leaves nothing behind', async () => {
  await withJob(async (run, { serverUrl }, home) => {
    const called = await run('call', serverUrl, 'whoami');
    assert.equal(called.code, 0, called.stderr);
    assert.match(called.stdout, /^ci /);
    const token = await run('token', serverUrl);
    assert.match(token.stdout, /^[\w.-]{100,}\n$/, token.stderr);
    const started = await run('exec', serverUrl, '--', 'sh', '-c', 'echo "$POSTERN_ACCESS_TOKEN"');
    assert.match(started.stdout, /^[\w.-]{100,}\n$/, started.stderr);
    const answered = await run('credential', 'headers', serverUrl);
    assert.match(answered.stdout, /^\{"Authorization":"Bearer [\w.-]{100,}"\}/, answered.stderr);
    const requested = await run('request', serverUrl, '--fail', '-H', 'accept: text/event-stream');
    assert.doesNotMatch(requested.stderr, /login_needed|401/);
    const left = (
      await Promise.all(['state', 'config', 'data', 'cache'].map((name) => filesIn(join(home.path, name))))
    ).flat();
    assert.deepEqual(left, []);
    for (const { stdout, stderr } of [called, token, started, answered]) {
      assert.ok(!`${stdout}${stderr}`.includes(secret), 'the secret is printed nowhere');
    }
  });
});

test('a login for one run alone is refused where its options make no whole', async () => {
  await using home = await makeHome();
  const url = 'https://server.example/mcp';
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/needs --store memory/, 'token', url, '--client-credentials'],
    [/needs --client-credentials/, 'token', url, '--store', 'memory'],
    [/goes with --client-credentials/, 'call', url, '--client-id', 'ci'],
    [/goes with --client-credentials/, 'credential', 'headers', url, '--scope', 'a'],
    [/a program that lasts/, 'credential', 'headers', url, '--client-credentials', '--store', 'memory', '--shim', 'x'],
    [
      /URL stands on the command line/,
      'credential',
      'terraform',
      'get',
      'a.example',
      '--client-credentials',
      '--store',
      'memory',
    ],
  ];
  for (const [said, ...args] of refused) {
    const { code, stderr } = await runProgram(home, args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, said);
  }
});
