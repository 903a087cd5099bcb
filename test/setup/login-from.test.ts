import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { valueIn } from '../../src/setup/formats/entry.js';
import { foundServers } from '../../src/setup/programs/entries.js';
import { freePort } from '../support/free-port.js';
import { runProgram } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { plainHome } from './plain-home.js';

const secret = 'sk-live-4d1c2b3a4e5f';

const cursor = {
  mcpServers: {
    'My Notes': { url: 'https://Notes.example:443/mcp', headers: { Authorization: `Bearer ${secret}` } },
    remote: { command: 'npx', args: ['-y', 'mcp-remote@0.1', 'https://r.example/mcp', '--header', `X:${secret}`] },
    local: { command: 'tool', args: ['--api', 'https://api.example/'] },
    keyed: { url: `https://k.example/mcp?api_key=${secret}` },
    variable: { url: 'https://${'.concat('HOST}/mcp') },
    'a\u001b[31m': { url: 'https://n.example/mcp;x' },
    plain: { url: 'http://p.example/mcp' },
    broken: [null, 7],
  },
};

async function homeWith(path: string, text: string) {
  const home = await plainHome();
  mkdirSync(dirname(join(home.path, path)), { recursive: true });
  writeFileSync(join(home.path, path), text);
  return home;
}

test('without a terminal, the commands to run are printed; no token, no text of a stranger as it is [A-245] [A-247]', async () => {
  await using home = await homeWith('.cursor/mcp.json', JSON.stringify(cursor));
  const { code, stdout, stderr } = await runProgram(home, ['login', '--from', 'cursor']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n'), [
    'postern login https://notes.example/mcp --name my-notes',
    'postern login https://r.example/mcp --name remote',
    "postern login 'https://n.example/mcp;x' --name a-31m",
  ]);
  const json = await runProgram(home, ['login', '--from', 'cursor', '--json']);
  const texts = { stdout, stderr, json: json.stdout };
  assert.deepEqual(await findSecrets({ secret }, { folders: [], texts }), []);
  assert.equal(JSON.parse(json.stdout).servers.length, 3);
});

test('a name of the program’s is enough; a mistyped one is answered with what was meant', async () => {
  const server = `http://127.0.0.1:${await freePort()}/mcp`;
  const text = `[mcp_servers.notes]\nurl = '${server}'\n`;
  await using home = await homeWith('.codex/config.toml', text);
  const named = await runProgram(home, ['login', 'notes', '--from', 'codex']);
  assert.equal(named.code, 3, 'a login, for which there is no person');
  assert.ok(named.stderr.includes(server), named.stderr);
  const typo = await runProgram(home, ['login', 'nots', '--from', 'codex']);
  assert.equal(typo.code, 2);
  assert.match(typo.stderr, /Did you mean "notes"\?/);
});

test('programs without servers, without a configuration, and no server at all, are told apart', async () => {
  await using home = await homeWith('.claude.json', '{"mcpServers": {}}');
  const stderrOf = async (...args: string[]) => (await runProgram(home, ['login', ...args])).stderr;
  const said = await Promise.all(['claude', 'zed', 'git'].map((program) => stderrOf('--from', program)));
  assert.equal(new Set(said.map((text) => text.replace(/Claude Code|Zed|git/g, 'PROGRAM'))).size, 3, said.join('\n'));
  assert.match(await stderrOf('--from', 'curser'), /"cursor".*postern setup --list --all\n/);
});

test('login without a server: exit 2, a line that works, and the programs that know servers', async () => {
  await using home = await homeWith('.cursor/mcp.json', '{"mcpServers": {"a": {"url": "https://a.example/mcp"}}}');
  const { code, stdout, stderr } = await runProgram(home, ['login']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(
    stderr,
    /postern login https:\S+ --name work\n[\s\S]*postern login --from cursor\n[\s\S]*\[word_missing, exit 2\]/,
  );
  assert.match((await runProgram(home, ['request'])).stderr, /\bURL\b[\s\S]*\[word_missing, exit 2\]/);
});

test('comments, trailing commas and other shapes are read; what is broken is passed over', () => {
  const zed = '{ // mine\n "context_servers": {"a": {"url": "https://a.example/"}, "b": "x",}, }';
  assert.deepEqual(foundServers(valueIn('json', zed, ['context_servers'])), [{ name: 'a', url: 'https://a.example' }]);
  for (const text of ['', '[]', '{"context_servers": []}', '{"context_servers": null}', 'no json']) {
    assert.deepEqual(foundServers(valueIn('json', text, ['context_servers'])), [], text);
  }
  const toml = '[mcp_servers."a b"]\nurl = "https://a.example/mcp"\n[mcp_servers.c]\ncommand = "x"\n';
  assert.deepEqual(foundServers(valueIn('toml', toml, ['mcp_servers'])), [
    { name: 'a b', url: 'https://a.example/mcp' },
  ]);
  assert.deepEqual(foundServers(valueIn('toml', '= broken', ['mcp_servers'])), []);
});

test('a configuration with more servers than anybody has is read all the same, each address once', async () => {
  const servers = Array.from({ length: 150_000 }, (_, index) => [
    `s${index}`,
    { url: `https://h.example/${index % 75_000}` },
  ]);
  const text = JSON.stringify({ mcpServers: Object.fromEntries(servers) });
  await using home = await homeWith('.cursor/mcp.json', text);
  const { code, stdout, stderr } = await runProgram(home, ['login', '--from', 'cursor']);
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim().split('\n').length, 75_000);
});

test('a configuration that is broken is not said to name no server', async () => {
  for (const [program, path, text, format] of [
    ['cursor', '.cursor/mcp.json', '{"mcpServers":', 'JSON'],
    ['codex', '.codex/config.toml', '[mcp_servers.x]\nurl = "https://x.example/mcp"\nbroken', 'TOML'],
  ] as const) {
    await using home = await homeWith(path, text);
    const { code, stdout, stderr } = await runProgram(home, ['login', '--from', program]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, new RegExp(`cannot be read as ${format}`));
  }
  await using empty = await homeWith('.cursor/mcp.json', ' \n');
  assert.match((await runProgram(empty, ['login', '--from', 'cursor'])).stderr, /names no server/);
});
