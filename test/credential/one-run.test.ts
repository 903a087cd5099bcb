import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { type Finished, runProgram } from '../support/program.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';

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
  const options = ['--client-credentials', '--authorization-server', sandbox.issuer];
  await use((...args) => runProgram(home, withOptions(args, options)), sandbox, home);
}

const initialize = `${JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
})}\n`;

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
    assert.doesNotMatch(requested.stderr, /login_needed|\b401\b/);
    const left = (
      await Promise.all(['state', 'config', 'data', 'cache'].map((name) => filesIn(join(home.path, name))))
    ).flat();
    assert.deepEqual(left, []);
    for (const { stdout, stderr } of [called, token, started, answered]) {
      assert.ok(!`${stdout}${stderr}`.includes(secret), 'the secret is printed nowhere');
    }
  });
});

test('[A-58] a first login gives a client secret, by option, stdin or variable, to no authorization server that it was not given for', async () => {
  await withJob(async (_run, { serverUrl, requests }, { env, ...home }) => {
    const file = env['POSTERN_CLIENT_SECRET_FILE'] ?? '';
    const key = join(home.path, 'key');
    await writeFile(key, randomBytes(32), { mode: 0o600 });
    const bare = { ...env, POSTERN_CLIENT_ID: '', POSTERN_CLIENT_SECRET_FILE: '', POSTERN_STORE_KEY_FILE: key };
    const typed = ['--client-id', 'ci', '--client-secret-file', file];
    const own = ['--client-credentials'];
    const kept = ['--client-credentials', '--store', 'file'];
    const forOneRun = [
      ...['call', 'token', 'request', 'proxy', 'bridge'].map((command) => [command, serverUrl]),
      ['credential', 'headers', serverUrl],
      ['exec', serverUrl, '--', 'true'],
    ];
    const refused = async (words: readonly string[], remedy: RegExp, variables: Home['env'], input = '') => {
      const { stderr, stdout } = await runProgram({ ...home, env: variables }, words, input);
      const said = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
      assert.match(said, /The secret of \\?"ci\\?" was not sent/, words.join(' '));
      assert.match(said, remedy, words.join(' '));
    };
    const run = /run: postern login http\S+ .*--authorization-server http/;
    await refused(['login', serverUrl, ...typed, ...kept], run, bare);
    await refused(['login', serverUrl, '--client-id', 'ci', '--client-secret-stdin', ...kept], run, bare, secret);
    for (const way of ['--no-browser', '--device']) {
      await refused(['login', serverUrl, ...typed, way, '--store', 'file'], run, bare);
    }
    const variable = /set POSTERN_AUTHORIZATION_SERVER=http/;
    for (const words of forOneRun) await refused(withOptions(words, [...typed, ...own]), variable, bare, initialize);
    await refused(['call', serverUrl, '--login', '--no-browser', '--store', 'memory'], variable, env);
    await refused(['doctor', serverUrl, '--login', '--no-browser'], /./, env);
    const sent = JSON.stringify(requests.map(({ headers, params }) => [headers['authorization'], params]));
    assert.ok(!sent.includes(secret) && !sent.includes(btoa(`ci:${secret}`)));
  });
});

test('a login for one run alone is refused where its options make no whole', async () => {
  await using home = await makeHome();
  const url = 'https://server.example/mcp';
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/needs --client-credentials/, 'token', url, '--store', 'memory'],
    [/needs --client-credentials/, 'call', url, '--client-id', 'ci'],
    [/needs --client-credentials/, 'credential', 'headers', url, '--scope', 'a'],
    [/cannot be used together/, 'credential', 'headers', url, '--client-credentials', '--shim', 'x'],
    [
      /needs a server: its URL/,
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
