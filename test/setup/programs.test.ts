import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { changeFor, entryValue, valueIn } from '../../src/setup/formats/entry.js';
import { callIn, foundServers } from '../../src/setup/programs/entries.js';
import {
  blocksOf,
  conflictsOf,
  type EntryRequest,
  entryOf,
  type Program,
  serversIn,
} from '../../src/setup/programs/program.js';
import { programs } from '../../src/setup/programs/programs.js';
import { anyText } from '../support/arbitraries.js';
import { putEntry } from './edited.js';
import { machine } from './workshop.js';

const url = 'https://h.example/mcp';
const words = ['/opt/node', '/opt/postern.js', 'bridge', url];

function named(name: string): Program {
  const program = programs.find((one) => one.name === name);
  assert.ok(program !== undefined, name);
  return program;
}

function request(text: string, more: Partial<EntryRequest> = {}): EntryRequest {
  return { machine: machine({}), url, server: url, name: 'work', options: [], text, ...more };
}

/** The text of a program's file with the entry in it. */
async function written(name: string, text: string, more: Partial<EntryRequest> = {}): Promise<string> {
  const made = entryOf(named(name), request(text, more), words);
  assert.ok(made !== undefined);
  const result = await putEntry(text, made);
  assert.ok(result.ok, `${result.ok || result.problem}: ${text}`);
  return result.text;
}

function blocks(name: string, text: string, more: Partial<EntryRequest> = {}): string {
  return [...blocksOf(named(name), request(text, more))].join('\n');
}

/** What is said to win over the entry, the program's text and the environment being so. */
function conflicts(name: string, text: string, more: Parameters<typeof machine>[0] = {}, to = url): string {
  return conflictsOf(named(name), request(text, { machine: machine(more), url: to })).join('\n');
}

test('every program that starts the bridge: what is written is read as a call of ours, and as a server to log in to', () => {
  for (const program of programs.filter(({ calls }) => calls === 'bridge')) {
    const made = entryOf(program, request(''), words);
    assert.ok(made !== undefined);
    const text = String(changeFor('', made));
    if (program.format !== 'pasted')
      assert.equal(callIn(made.key, entryValue(text, made.key), 'linux')?.server, url, program.name);
    assert.deepEqual((serversIn(program, text, machine({})) ?? []).flatMap(foundServers), [{ name: 'work', url }]);
    assert.equal(entryOf(program, request(''), [...words, '$HOME']), undefined, program.name);
  }
});

test('OpenCode: a file in the form of OpenCode 2 keeps it, one of OpenCode 1 too', async () => {
  const native = '{\n  "mcp": {\n    "servers": {\n      "a": { "type": "local", "command": ["x"] }\n    }\n  }\n}\n';
  assert.deepEqual(valueIn('json', await written('opencode', native), ['mcp', 'servers', 'work']), {
    type: 'local',
    command: words,
  });
  const off = native.replace('"a"', '"work"').replace('["x"]', '["x"], "disabled": true');
  assert.match(blocks('opencode', off), /switched off \("disabled": true\)/);
  for (const text of ['{}', '{"mcp":{}}', '{"mcp":{"servers":{"type":"local","command":["x"]}}}']) {
    assert.deepEqual(valueIn('json', await written('opencode', text), ['mcp', 'work']), {
      ...{ type: 'local', enabled: true },
      command: words,
    });
  }
  const both =
    '{"mcp":{"old":{"type":"remote","url":"https://o.example"},"servers":{"n":{"url":"https://n.example"}}}}';
  const found = (serversIn(named('opencode'), both, machine({})) ?? []).flatMap(foundServers);
  assert.deepEqual(found.map(({ name }) => name).sort(), ['n', 'old']);
});

test('Copilot CLI: its own list of what is switched off counts, and a list of tools stays', async () => {
  assert.equal(blocks('copilot', '{}', { switches: ['{"disabledMcpServers": ["other"]}'] }), '');
  assert.match(blocks('copilot', '{}', { switches: ['{"disabledMcpServers": ["work"]}'] }), /mcp enable work/);
  const text = '{"mcpServers": {"work": {"type": "http", "url": "https://h.example/mcp", "tools": ["echo"]}}}';
  const [command, ...args] = words;
  assert.deepEqual(valueIn('json', await written('copilot', text), ['mcpServers', 'work']), {
    ...{ type: 'local', tools: ['echo'] },
    ...{ command, args },
  });
});

test('Grok Build: what it has switched off is named, and a name whose tools it passes over', async () => {
  assert.match(blocks('grok', 'disabled_mcp_servers = ["work"]\n'), /grok mcp enable work/);
  assert.match(blocks('grok', '[mcp_servers.work]\nenabled = false\n'), /switched off \(enabled = false\)/);
  for (const name of ['127-0-0-1', 'a__b', 'a_']) assert.match(blocks('grok', '', { name }), /--as NAME/, name);
  for (const name of ['work', '_a', 'a-b_c']) assert.equal(blocks('grok', '', { name }), '', name);
  // As Grok itself lays it out.
  const text = (await written('grok', '')).replace(
    /\[(".*")\]/,
    (_, list: string) => `[\n    ${list.replaceAll(', ', ',\n    ')},\n]`,
  );
  assert.equal(await written('grok', text), text);
  assert.deepEqual(valueIn('toml', text, ['mcp_servers', 'work', 'args']), words.slice(1));
});

test('Goose: an entry has its name in small letters, and a description that a person gave it', async () => {
  const text = await written('goose', '', { name: 'Work' });
  assert.deepEqual(valueIn('yaml', text, ['extensions', 'work', 'name']), 'work');
  const described = text.replace('description: ""', 'description: Notes # of mine');
  assert.equal(await written('goose', described, { name: 'Work' }), described);
  assert.match(blocks('goose', text.replace('enabled: true', 'enabled: false')), /switched off \(enabled: false\)/);
});

test('Cline: an entry for a URL becomes one for the command, in the old form and in the new', async () => {
  const [command, ...args] = words;
  for (const old of [{ transport: { type: 'streamableHttp', url } }, { type: 'streamableHttp', url, headers: {} }]) {
    const text = JSON.stringify({ mcpServers: { work: { ...old, disabled: false } } });
    assert.deepEqual((serversIn(named('cline'), text, machine({})) ?? []).flatMap(foundServers), [
      { name: 'work', url },
    ]);
    assert.deepEqual(valueIn('json', await written('cline', text), ['mcpServers', 'work']), {
      disabled: false,
      command,
      args,
    });
  }
});

test('a line of Crush’s script says each word to Bash as it is, and each line is one command [A-269]', () => {
  const bash = 'mcp() { printf "%s\\0" "$@"; }; ';
  const argument = anyText().filter((word) => !/[\0\r\n]/.test(word));
  fc.assert(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 12 }), (all) => {
      const { line = '' } = named('crush').call?.(all, request('')) ?? {};
      const { stdout } = spawnSync('bash', ['-c', bash + line], { encoding: 'utf8' });
      const [command, ...args] = all;
      const options = ['--command', command, ...args.flatMap((word) => ['--args', word])];
      assert.deepEqual(stdout.split('\0').slice(0, -1), ['add', 'work', ...options]);
    }),
    { numRuns: 20 },
  );
});

test('Crush: its servers are read for login --from, those of several lines, too', () => {
  const text = `mcp add work \\\n  --type http --url "${url}" --header Authorization "Bearer $T"\nmcp add b --command npx --args -y --args mcp-remote --args https://b.example/mcp\n`;
  assert.deepEqual((serversIn(named('crush'), text, machine({})) ?? []).flatMap(foundServers), [
    { name: 'work', url },
    { name: 'b', url: 'https://b.example/mcp' },
  ]);
  const json = `{"mcp": {"a": {"type": "http", "url": "${url}"}}}`;
  assert.deepEqual((serversIn(named('crush'), json, machine({})) ?? []).flatMap(foundServers), [{ name: 'a', url }]);
});

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
