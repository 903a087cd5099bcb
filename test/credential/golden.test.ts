import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMachine } from '../support/machine.js';
import { needs } from '../support/needs.js';
import { answers, exec, kube, login } from './golden-answers.js';
import { type Given, gitInput, seed, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');

test('[A-190] each format is answered to the byte, by the short way and by the whole program', { skip }, async () => {
  await using seeded = await seed(login);
  for (const [words, given, stdout] of answers) {
    const short = await seeded.ask(words.split(' '), given);
    assert.deepEqual(short, { code: 0, signal: null, stdout, stderr: '' }, words);
    const whole = await seeded.ask(words.split(' '), { ...given, whole: true });
    assert.deepEqual([whole.code, whole.stdout], [0, stdout], `${words}: ${whole.stderr}`);
  }
  await seeded.keyring.lock();
  const locked = await seeded.ask(['headers', 'work']);
  assert.deepEqual([locked.code, locked.stdout], [7, '']);
  assert.match(locked.stderr, /^postern: [^\n]+ \[store_locked, exit 7\]\n$/);
});

const refused: readonly (readonly [words: string, given: Given, code: number, name: string])[] = [
  ['headers nowhere', {}, 3, 'login_needed'],
  ['headers https://mcp.example/mcpx', {}, 3, 'login_needed'],
  ['headers', {}, 2, 'word_missing'],
  ['git', {}, 2, 'usage_wrong'],
  ['header', {}, 2, 'word_missing'],
  ['headers work more', {}, 2, 'usage_wrong'],
  ['headers work', { env: { CLAUDE_CODE_MCP_SERVER_URL: 'https://evil.example/mcp' } }, 2, 'target_elsewhere'],
  ['headers work', { env: { CLAUDE_CODE_MCP_SERVER_URL: 'https://mcp.example/' } }, 2, 'target_elsewhere'],
  ['token two', {}, 2, 'login_ambiguous'],
  ['curl ended', {}, 3, 'login_expired'],
  ['env work --min-ttl 7200', {}, 3, 'login_expired'],
  ['env work --var PATH', {}, 2, 'usage'],
  ['env work --var LD_PRELOAD', {}, 2, 'usage'],
  ['env work --var x=1;id', {}, 2, 'usage'],
  ['env work --var A,header,value', {}, 2, 'usage'],
  ['env work --var lower', {}, 2, 'usage'],
  ['env work --shell cmd', {}, 2, 'usage_wrong'],
  ['heeders work', {}, 2, 'usage_wrong'],
  ['kubectl', {}, 2, 'word_missing'],
  ['kubectl work', { env: { KUBERNETES_EXEC_INFO: exec('client.authentication.k8s.io/v9') } }, 1, 'request_unusable'],
  ['kubectl work', { env: { KUBERNETES_EXEC_INFO: '{' } }, 1, 'request_unusable'],
  [
    'kubectl work',
    { env: { KUBERNETES_EXEC_INFO: exec(kube, { cluster: { server: 'https://evil.example' } }) } },
    2,
    'target_elsewhere',
  ],
  ['bazel get', { input: '{"uri":"https://x' }, 1, 'request_unusable'],
  ['bazel get', { input: '[]' }, 1, 'request_unusable'],
  ['bazel', {}, 2, 'usage_wrong'],
  ['value', {}, 2, 'word_missing'],
  ['terraform', {}, 2, 'usage_wrong'],
  ['terraform get', {}, 3, 'login_needed'],
  ['terraform store mcp.example', {}, 2, 'usage_wrong'],
  ['terraform work forget mcp.example', {}, 2, 'usage_wrong'],
  ['git get', { input: gitInput('protocol=https', 'host=mcp.example\u0000', 'path=mcp') }, 1, 'request_unusable'],
  ['git get', { input: gitInput('protocol=https', 'host=mcp.example\rx', 'path=mcp') }, 1, 'request_unusable'],
];

test('[A-187][A-188][A-189][A-190][A-176] every failure prints nothing, one line on stderr with what to do, and its exit code', async () => {
  await using machine = await openMachine();
  for (const one of [
    login,
    work({ name: 'two', server: 'https://two.example/mcp', account: 'a' }),
    work({ name: 'two', server: 'https://two.example/mcp', account: 'b' }),
    work({ name: 'here', server: 'https://pair.example/a' }),
    work({ name: 'there', server: 'https://pair.example/b' }),
    work({ name: 'ended', server: 'https://ended.example/mcp', expiresAt: Date.now() - 1000 }),
    work({ name: 'bad', server: 'https://bad.example/mcp', accessToken: 'a\nhost=evil.example' }),
  ]) {
    await machine.keep(one);
  }
  const ask = ({ input = '', env = {} }: Given, ...words: readonly string[]) =>
    machine.run(['credential', ...words], input, env);
  for (const [words, given, code, name] of refused) {
    const { stdout, stderr, ...end } = await ask(given, ...words.split(' '));
    assert.deepEqual([end.code, stdout], [code, ''], `${words}: ${stderr}`);
    assert.match(stderr, new RegExp(`^postern: [^\\n]+ \\[${name}, exit ${code}\\]\\n$`), words);
    assert.doesNotMatch(stderr, /tok\.en/);
  }
  for (const [words, env, said] of [
    [['headers', 'work', '--account', 'nobody'], {}, /with the account "nobody"\. Accounts: "default"\. /],
    [['headers', 'work'], { CLAUDE_CODE_MCP_SERVER_URL: 'https://o.example/' }, /for "https:\/\/mcp\.example/],
    [['kubectl', 'work'], { KUBERNETES_EXEC_INFO: '{' }, /^postern: What kubectl says is no request/],
    [['env', 'work', '--var', 'A;id'], {}, /it is a name of A-Z, 0-9 and _, perhaps followed by/],
  ] as const) {
    assert.match((await ask({ env }, ...words)).stderr, said);
  }
  const pair = await ask({ input: '{"uri":"https://pair.example/"}' }, 'bazel', 'get', '--whole-host');
  assert.match(pair.stderr, /credential bazel https:\/\/pair\.example\/a --whole-host \[login_ambiguous, exit 2\]\n$/);
  const input = gitInput('protocol=https', 'host=bad.example', 'path=mcp');
  for (const [nothing, ...words] of [
    ['quit=1\n\n', 'git', 'get'],
    ['', 'headers', 'bad'],
    ['', 'env', 'bad'],
  ] as const) {
    const { code, stdout, stderr } = await ask({ input }, ...words);
    assert.notEqual(code, 0);
    assert.equal(stdout, nothing);
    assert.doesNotMatch(stderr, /evil/);
  }
});

test('[A-174] a request of git that contradicts itself, or whose host is not one alone, is not answered', async () => {
  await using machine = await openMachine();
  await machine.keep(login);
  const ask = (...lines: readonly string[]) => machine.run(['credential', 'git', 'get'], gitInput(...lines));
  assert.match((await ask('protocol=https', 'host=mcp.example', 'path=mcp')).stdout, /^username=/);
  for (const lines of [
    ['protocol=https', 'host=evil.example', 'host=mcp.example', 'path=mcp'],
    ['protocol=http', 'protocol=https', 'host=mcp.example', 'path=mcp'],
    ['protocol=https', 'host=evil.example', 'url=https://mcp.example/mcp'],
    ['protocol=https', 'host=me@mcp.example', 'path=mcp'],
    ['protocol=https', 'host=mcp.example/mcp?', 'path=x'],
  ]) {
    assert.deepEqual(await ask(...lines), { code: 0, signal: null, stdout: '', stderr: '' }, lines.join(' '));
  }
});
