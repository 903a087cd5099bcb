import { type Given, gitInput, server, token, work } from './seeded.js';

/** The login of the answers below. */
export const login = work();
const told = (login.expiresAt ?? 0) - 30_000;
const date = new Date(told).toISOString().replace('.000Z', 'Z');
const seconds = told / 1000;
export const exec = (apiVersion: string, cluster = {}) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false, ...cluster } });
export const kube = 'client.authentication.k8s.io/v1';
const asked = ['protocol=https', 'host=mcp.example', 'path=mcp/repo.git'];

type Row = readonly [words: string, given: Given, stdout: string];

/** What each format answers, to the byte. */
export const answers: readonly Row[] = [
  ['headers work', {}, `{"Authorization":"Bearer ${token}"}\n`],
  [`headers ${server}/below`, {}, `{"Authorization":"Bearer ${token}"}\n`],
  ['headers', { env: { CLAUDE_CODE_MCP_SERVER_URL: server } }, `{"Authorization":"Bearer ${token}"}\n`],
  ['headers work', { env: { CLAUDE_CODE_MCP_SERVER_URL: server } }, `{"Authorization":"Bearer ${token}"}\n`],
  ['header work', {}, `Authorization: Bearer ${token}\n`],
  ['value work', {}, `Bearer ${token}\n`],
  ['terraform work', {}, `{"token":"${token}"}\n`],
  ['terraform get mcp.example', {}, '{}\n'],
  ['terraform get mcp.example --whole-host', {}, `{"token":"${token}"}\n`],
  ['terraform get mcp.example:443 --whole-host', {}, `{"token":"${token}"}\n`],
  ['terraform work get mcp.example --whole-host', {}, `{"token":"${token}"}\n`],
  ['terraform get other.example --whole-host', {}, '{}\n'],
  ['terraform get mcp.example:8443 --whole-host', {}, '{}\n'],
  ['terraform work get other.example --whole-host', {}, '{}\n'],
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
    { input: gitInput('capability[]=authtype', 'capability[]=state', ...asked, 'wwwauth[]=Bearer realm="x"') },
    `capability[]=authtype\nauthtype=Bearer\ncredential=${token}\nephemeral=1\npassword_expiry_utc=${seconds}\n\n`,
  ],
  ['git get', { input: gitInput(...asked) }, `username=oauth2\npassword=${token}\npassword_expiry_utc=${seconds}\n\n`],
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
