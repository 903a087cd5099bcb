import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { type Given, gitInput, seed, server, token, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');
const login = work();
const told = (login.expiresAt ?? 0) - 30_000;
const date = new Date(told).toISOString().replace('.000Z', 'Z');
const seconds = told / 1000;
const exec = (apiVersion: string, cluster = {}) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false, ...cluster } });
const kube = 'client.authentication.k8s.io/v1';
const asked = ['protocol=https', 'host=mcp.example', 'path=mcp/repo.git'];

type Row = readonly [words: string, given: Given, stdout: string];

const answers: readonly Row[] = [
  ['headers work', {}, `{"Authorization":"Bearer ${token}"}\n`],
  [`headers ${server}/below`, {}, `{"Authorization":"Bearer ${token}"}\n`],
  ['headers', { env: { CLAUDE_CODE_MCP_SERVER_URL: server } }, `{"Authorization":"Bearer ${token}"}\n`],
  ['headers work', { env: { CLAUDE_CODE_MCP_SERVER_URL: server } }, `{"Authorization":"Bearer ${token}"}\n`],
  ['header work', {}, `Authorization: Bearer ${token}\n`],
  ['token work', {}, `${token}\n`],
  ['token work --account default --min-ttl 60', {}, `${token}\n`],
  ['curl work', {}, `header = "Authorization: Bearer ${token}"\n`],
  ['env work', {}, `export POSTERN_ACCESS_TOKEN='${token}'\n`],
  ['env work --var A,value --var B_2', {}, `export A='Bearer ${token}'\nexport B_2='${token}'\n`],
  ['env work --shell fish --var A', {}, `set -gx A '${token}'\n`],
  ['env work --shell pwsh --var A,header', {}, `$env:A = 'Authorization: Bearer ${token}'\n`],
  ['env work --shell dotenv --var A --var B,value', {}, `A=${token}\nB='Bearer ${token}'\n`],
  ['env work --shell json --var A --var B,value', {}, `{"A":"${token}","B":"Bearer ${token}"}\n`],
  [
    'git get',
    {
      input: gitInput('capability[]=authtype', 'capability[]=state', ...asked, 'wwwauth[]=Bearer realm="x"'),
    },
    `capability[]=authtype\nauthtype=Bearer\ncredential=${token}\nephemeral=1\npassword_expiry_utc=${seconds}\n\n`,
  ],
  [
    'git get',
    { input: gitInput(...asked) },
    `username=oauth2\npassword=${token}\npassword_expiry_utc=${seconds}\n\n`,
  ],
  [
    'git work get --whole-host',
    { input: gitInput('protocol=https', 'host=mcp.example') },
    `username=oauth2\npassword=${token}\npassword_expiry_utc=${seconds}\n\n`,
  ],
  ['git capability', {}, 'version 0\ncapability authtype\n'],
  ['git store', { input: gitInput(...asked, 'username=x', 'password=y') }, ''],
  ['git what-may-come', {}, ''],
  [
    'kubectl work',
    { env: { KUBERNETES_EXEC_INFO: exec(kube) } },
    `{"kind":"ExecCredential","apiVersion":"${kube}","status":{"token":"${token}","expirationTimestamp":"${date}"}}\n`,
  ],
  [
    'kubectl',
    { env: { KUBERNETES_EXEC_INFO: exec(`${kube}beta1`, { cluster: { server } }) } },
    `{"kind":"ExecCredential","apiVersion":"${kube}beta1","status":{"token":"${token}","expirationTimestamp":"${date}"}}\n`,
  ],
  [
    'bazel get',
    { input: `{"uri":"${server}/x?y=1","more":[]}` },
    `{"headers":{"Authorization":["Bearer ${token}"]},"expires":"${date}"}\n`,
  ],
  [
    'bazel get',
    { input: '{"uri":"grpcs://mcp.example/mcp"}\n' },
    `{"headers":{"Authorization":["Bearer ${token}"]},"expires":"${date}"}\n`,
  ],
  ['bazel get', { input: '{"uri":"https://other.example/mcp"}' }, '{"headers":{}}\n'],
  ['goauth', {}, ''],
  ['goauth work', {}, `${server}\n\nAuthorization: Bearer ${token}\n\n`],
  [`goauth ${server}`, {}, `${server}\n\nAuthorization: Bearer ${token}\n\n`],
  [`goauth ${server}/mod`, {}, `${server}\n${server}/mod\n\nAuthorization: Bearer ${token}\n\n`],
  ['goauth https://other.example/mod', {}, ''],
  [
    `goauth work ${server}/mod`,
    { input: 'HTTP/1.1 404 Not Found\n\n' },
    `${server}\n${server}/mod\n\nAuthorization: Bearer ${token}\n\n`,
  ],
  [
    `goauth work ${server}/mod?go-get=1`,
    { input: 'HTTP/1.1 403 Forbidden\n\n' },
    `${server}\n${server}/mod?go-get=1\n\nAuthorization: Bearer ${token}\n\n`,
  ],
];

test('[A-190] each format is answered to the byte, by the short way and by the whole program', {
  skip,
}, async () => {
  await using seeded = await seed(login);
  for (const [words, given, stdout] of answers) {
    const short = await seeded.ask(words.split(' '), given);
    assert.deepEqual(short, { code: 0, signal: null, stdout, stderr: '' }, words);
    const whole = await seeded.ask(words.split(' '), { ...given, whole: true });
    assert.deepEqual([whole.code, whole.stdout], [0, stdout], `${words}: ${whole.stderr}`);
  }
});

const refused: readonly (readonly [words: string, given: Given, code: number, name: string])[] = [
  ['headers nowhere', {}, 3, 'login_needed'],
  ['headers https://mcp.example/mcpx', {}, 3, 'login_needed'],
  ['headers', {}, 2, 'usage_wrong'],
  ['git', {}, 2, 'usage_wrong'],
  ['header', {}, 2, 'usage_wrong'],
  ['headers work more', {}, 2, 'usage_wrong'],
  [
    'headers work',
    { env: { CLAUDE_CODE_MCP_SERVER_URL: 'https://evil.example/mcp' } },
    2,
    'target_elsewhere',
  ],
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
  ['kubectl', {}, 2, 'usage_wrong'],
  [
    'kubectl work',
    { env: { KUBERNETES_EXEC_INFO: exec('client.authentication.k8s.io/v9') } },
    1,
    'request_unusable',
  ],
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
  [
    'git get',
    { input: gitInput('protocol=https', 'host=mcp.example\u0000', 'path=mcp') },
    1,
    'request_unusable',
  ],
];

test('[A-187][A-188][A-189][A-190][A-176] every failure prints nothing, one line on stderr with what to do, and its exit code', {
  skip,
}, async () => {
  await using seeded = await seed(
    login,
    work({ name: 'two', server: 'https://two.example/mcp', account: 'a' }),
    work({ name: 'two', server: 'https://two.example/mcp', account: 'b' }),
    work({ name: 'here', server: 'https://pair.example/a' }),
    work({ name: 'there', server: 'https://pair.example/b' }),
    work({ name: 'ended', server: 'https://ended.example/mcp', expiresAt: Date.now() - 1000 }),
    work({ name: 'bad', server: 'https://bad.example/mcp', accessToken: 'a\nhost=evil.example' }),
  );
  for (const [words, given, code, name] of refused) {
    const { stdout, stderr, ...end } = await seeded.ask(words.split(' '), given);
    assert.deepEqual([end.code, stdout], [code, ''], `${words}: ${stderr}`);
    assert.match(stderr, new RegExp(`^postern: [^\\n]+ \\[${name}, exit ${code}\\]\\n$`), words);
    assert.doesNotMatch(stderr, /tok\.en/);
  }
  for (const [words, env, said] of [
    [['headers', 'work', '--account', 'nobody'], {}, /of the account "nobody"; there is "default"\. /],
    [
      ['headers', 'work'],
      { CLAUDE_CODE_MCP_SERVER_URL: 'https://o.example/' },
      /for "https:\/\/mcp\.example/,
    ],
    [['kubectl', 'work'], { KUBERNETES_EXEC_INFO: '{' }, /^postern: What kubectl says is no request/],
    [['env', 'work', '--var', 'A;id'], {}, /it is a name of A-Z, 0-9 and _, perhaps followed by/],
  ] as const) {
    assert.match((await seeded.ask(words, { env })).stderr, said);
  }
  const pair = await seeded.ask(['bazel', 'get', '--whole-host'], {
    input: '{"uri":"https://pair.example/"}',
  });
  assert.match(
    pair.stderr,
    /credential bazel https:\/\/pair\.example\/a --whole-host \[login_ambiguous, exit 2\]\n$/,
  );
  const input = gitInput('protocol=https', 'host=bad.example', 'path=mcp');
  for (const words of [
    ['git', 'get'],
    ['headers', 'bad'],
    ['env', 'bad'],
  ]) {
    const { code, stdout, stderr } = await seeded.ask(words, { input });
    assert.notEqual(code, 0);
    assert.equal(stdout, '');
    assert.doesNotMatch(stderr, /evil/);
  }
  await seeded.keyring.lock();
  const locked = await seeded.ask(['headers', 'work']);
  assert.deepEqual([locked.code, locked.stdout], [7, '']);
  assert.match(locked.stderr, /^postern: [^\n]+ \[store_locked, exit 7\]\n$/);
});
