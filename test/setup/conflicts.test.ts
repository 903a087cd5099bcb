import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Machine } from '../../src/setup/machine/external-programs.js';
import { conflictsOf } from '../../src/setup/programs/program.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { machine } from './workshop.js';

/** What is said to win over the entry, the program's text and the environment being so. */
function conflicts(name: string, text: string, more: Partial<Machine> = {}, url = 'https://h.example/mcp'): string {
  const program = allPrograms.find((one) => one.name === name);
  assert.ok(program !== undefined);
  const request = { machine: machine(more), url, server: 'work', name: 'work', options: [], text };
  return conflictsOf(program, request).join('\n');
}

test('claude: an entry of the folder wins over the person’s, and another one for the same server is named', () => {
  const text = JSON.stringify({
    mcpServers: { work: {}, old: { url: 'https://H.example/mcp/' }, other: { url: 'https://o.example' } },
    projects: { '/home/a/project': { mcpServers: { work: {} } } },
  });
  assert.match(conflicts('claude', text), /"old"/);
  assert.match(conflicts('claude', text), /claude mcp remove --scope local work/);
  assert.doesNotMatch(conflicts('claude', text), /"other"/);
  assert.equal(conflicts('claude', text, { workingFolder: '/' }).split('\n').length, 1);
});

test('codex: its own login wins', () => {
  assert.match(conflicts('codex', ''), /codex mcp logout work/);
  assert.match(conflicts('codex', '[mcp_servers.b]\nurl = "https://h.example/mcp"\n'), /"b" is for the same/);
});

test('programs that start the bridge: mcp-remote for the same server is named', () => {
  const args = ['-y', 'mcp-remote', 'https://h.example/mcp'];
  const text = JSON.stringify({ mcpServers: { old: { command: 'npx', args } } });
  assert.match(conflicts('cursor', text), /"old"/);
  const list = JSON.stringify({ mcp: { old: { type: 'local', command: ['npx', ...args] } } });
  assert.match(conflicts('opencode', list), /"old"/);
});

test('git: a header for all requests there wins', () => {
  const text = '[http "https://h.example/"]\n\textraHeader = "Authorization: Bearer x"\n';
  assert.match(conflicts('git', text), /extraHeader sends an Authorization/);
  assert.equal(conflicts('git', text.replace('h.example', 'o.example')), '');
});

test('git: a user name of its own, and a helper that would be given the token to keep, are named', () => {
  const section = '[credential "https://h.example/mcp"]\n\tuseHttpPath = true\n';
  const store = '[credential]\n\thelper = store\n';
  assert.match(conflicts('git', section + store), /credential\.helper "store"/);
  for (const text of [store + section, store, `${section}[credential]\n\thelper =\n`]) {
    assert.equal(conflicts('git', text), '', text);
  }
  const user = '[credential "https://h.example"]\n\tusername = bob\n';
  assert.match(conflicts('git', user), /credential\."https:\/\/h\.example"\.username makes git ask/);
  assert.equal(conflicts('git', user.replace('bob', 'oauth2')), '');
  assert.equal(conflicts('git', user.replace('h.example', 'o.example')), '');
});

test('kubectl and go: no credential goes over plain http, which is said', () => {
  for (const name of ['kubectl', 'go']) {
    assert.match(conflicts(name, '', {}, 'http://127.0.0.1:1/mcp'), /no credential over plain http/);
  }
});

test('kubectl and go: what the environment says is named', () => {
  assert.match(conflicts('kubectl', '', { env: { KUBECONFIG: '/a:/b' } }), /names several files/);
  assert.equal(conflicts('kubectl', ''), '');
  assert.match(conflicts('go', '', { env: { GOAUTH: 'netrc' } }), /\bGOAUTH\b/);
  assert.equal(conflicts('go', ''), '');
});
