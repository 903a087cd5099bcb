import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seeded, seed, server, work } from '../credential/seeded.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { needs } from '../support/needs.js';
import { launcher, runProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';

const skip = needs('gnome-keyring', 'dbus');
const otherServer = 'https://other.example/mcp';
let world: Seeded | undefined;

before(async () => {
  if (skip === false) world = await seed(work());
});
after(async () => {
  await world?.[Symbol.asyncDispose]();
});

function at(...parts: readonly string[]): string {
  return join(world?.home.path ?? '', ...parts);
}

async function setup(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  assert.ok(world !== undefined);
  const { home } = world;
  return await runProgram({ ...home, env: { ...home.env, ...env } }, ['setup', ...words]);
}

/** Writes the entry, changes its file, and checks it. */
async function checkAfter(words: readonly string[], file: string, change: (text: string) => string) {
  const [program = ''] = words;
  assert.equal((await setup([...words, '--write'])).code, 0);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const checked = await setup([...words, '--check']);
  rmSync(file);
  await setup([program, '--undo']);
  return checked;
}

const call = `${process.execPath} ${launcher} credential headers`;

test('--check tells of an entry that names a login, and runs none of another login', { skip }, async () => {
  const byName = { mcpServers: { work: { type: 'http', url: server, headersHelper: `${call} work` } } };
  writeFileSync(at('.claude.json'), JSON.stringify(byName));
  const old = await setup(['claude', 'work', '--check']);
  assert.equal(old.code, 2);
  assert.match(old.stdout, /--write[\s\S]+"work"[\s\S]+not run/);
  assert.ok(world !== undefined);
  await storeLogin(world.home, { ...work({ name: 'moved' }), server: otherServer, accessToken: 'other.token' });
  writeFileSync(at('.claude.json'), JSON.stringify(byName).replace('headers work', 'headers moved'));
  const other = await setup(['claude', 'work', '--check']);
  assert.notEqual(other.code, 0);
  assert.match(other.stdout, /"moved"[\s\S]+not run/);
  const cursor = { mcpServers: { work: { command: process.execPath, args: [launcher, 'bridge', otherServer] } } };
  mkdirSync(at('.cursor'));
  writeFileSync(at('.cursor', 'mcp.json'), JSON.stringify(cursor));
  const bridged = await setup(['cursor', 'work', '--check']);
  assert.notEqual(bridged.code, 0);
  assert.match(bridged.stdout, /"https:\/\/other\.example\/mcp"/);
  rmSync(at('.cursor'), { recursive: true });
  rmSync(at('.claude.json'));
});

test('--check tells of a program that is gone, of somebody else’s entry, and of what is set otherwise', {
  skip,
}, async () => {
  const file = at('.claude.json');
  const gone = await checkAfter(['claude', 'work'], file, (text) => text.replace(launcher, '/gone/postern.js'));
  assert.equal(gone.code, 2);
  assert.match(gone.stdout, /"\/gone\/postern\.js"/);
  const foreign = await checkAfter(['claude', 'work'], file, (text) => text.replace(/credential headers/, 'x'));
  assert.equal(foreign.code, 2);
  assert.match(foreign.stdout, /not run/);
  assert.doesNotMatch(foreign.stdout, /would get/);
  const url = await checkAfter(['claude', 'work'], file, (text) =>
    text.replace(/"url": "[^"]+"/, `"url": "${otherServer}"`),
  );
  assert.notEqual(url.code, 0);
  assert.match(url.stdout, /: url\b[\s\S]+not run/);
  const header = await checkAfter(['claude', 'work'], file, (text) =>
    text.replace('"type"', '"headers": {"authorization": "Bearer mine"}, "type"'),
  );
  assert.equal(header.code, 2);
  assert.match(header.stdout, /: headers\b/);
});

test('--check runs no entry with words that postern would not write [A-264]', { skip }, async () => {
  const trace = at('trace');
  const planted = `credential headers ${server} --shim ${trace} --show-secret`;
  const found = await checkAfter(['claude', 'work'], at('.claude.json'), (text) =>
    text.replace(`credential headers ${server}`, planted),
  );
  assert.equal(found.code, 2);
  assert.match(found.stdout, /"--shim" "[^"]+trace" "--show-secret"[\s\S]+not run/);
  assert.equal(existsSync(trace), false);
});

test('a project’s file never chooses the variables that a login is run with, nor which login that is [A-264]', {
  skip,
}, async () => {
  await using proxy = await startConnectProxy(1, 502);
  const project = at('project');
  const run = async (...words: readonly string[]) => {
    assert.ok(world !== undefined);
    return await runProgram({ ...world.home, path: project }, words);
  };
  const planted = [
    `HTTPS_PROXY=http://127.0.0.1:${proxy.port}`,
    'POSTERN_CA_FILE=ca.pem',
    'NODE_EXTRA_CA_CERTS=ca.pem',
  ];
  const added = [...planted, 'NODE_OPTIONS=--require=x', `POSTERN_STATE_DIR=${project}`];
  for (const [program, path, change] of [
    ['cursor', '.cursor/mcp.json', (text: string) => text.replace('"args": [', `"args": ["${added.join('", "')}",`)],
    ['claude', '.mcp.json', (text: string) => text.replace('/bin/env ', `/bin/env ${added.join(' ')} `)],
    ['cursor', '.cursor/mcp.json', (text: string) => text.replace('"args"', `"env": {"HTTPS_PROXY": "x"}, "args"`)],
  ] as const) {
    const file = join(project, path);
    mkdirSync(join(file, '..'), { recursive: true });
    const printed = await run('setup', program, 'work', '--project');
    writeFileSync(file, change(printed.stdout));
    const check = () => run('setup', program, 'work', '--project', '--check');
    const checks = [await check()];
    rmSync(file);
    assert.equal((await run('setup', program, 'work', '--project', '--write')).code, 0);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    checks.push(await check(), await run('setup', '--check'), await run('doctor', '--from', program));
    const { stdout: compared } = await run('doctor');
    assert.ok(compared.replace(/\s+/g, ' ').includes(file), compared);
    assert.doesNotMatch(compared, /would (?:get a|be)/);
    for (const { code, stdout } of checks) {
      assert.equal(code, 2, stdout);
      assert.ok(stdout.replace(/\s+/g, ' ').includes(file), stdout);
      assert.match(stdout, /not run/);
      assert.match(stdout, /HTTPS_PROXY|\benv\b/);
      assert.doesNotMatch(stdout, /would (?:get|be)/);
    }
    assert.equal((await run('setup', program, 'work', '--project', '--write')).code, 0);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /HTTPS_PROXY/, 'what the check advises takes it out');
    assert.equal((await run('setup', program, '--project', '--undo')).code, 0);
    rmSync(file, { force: true });
  }
  assert.deepEqual(proxy.asked, []);
});

test('an entry as --write made it is run by a check with the variables that were recorded then, by doctor alone never', {
  skip,
}, async () => {
  await using proxy = await startConnectProxy(1, 502);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const project = at('proxied');
  mkdirSync(project);
  const start = async (more: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    assert.ok(world !== undefined);
    return await runProgram({ ...world.home, path: project, env: { ...world.home.env, ...more } }, words);
  };
  const run = (more: Readonly<Record<string, string>>, ...words: readonly string[]) => start(more, 'setup', ...words);
  assert.equal((await run(env, 'cursor', 'work', '--project', '--write', '--with-proxy')).code, 0);
  assert.match((await start(env, 'doctor')).stdout, /not run; .*postern setup --check/);
  assert.deepEqual(proxy.asked, [], 'doctor alone asks no server');
  const { stdout } = await run({}, 'cursor', 'work', '--project', '--check');
  assert.deepEqual(proxy.asked.slice(0, 1), ['CONNECT mcp.example:443'], stdout);
  assert.equal((await run({}, 'cursor', '--project', '--undo')).code, 0);
});

test('switched off or left out by the person or the program’s window: --check says so, and --write notes it', {
  skip,
}, async () => {
  const folder = at();
  const cases: readonly (readonly [string, readonly string[], (text: string) => string, RegExp])[] = [
    [
      '.cursor/mcp.json',
      ['cursor', 'work'],
      (text) => text.replace('"command"', '"disabled": true, "command"'),
      /"disabled": true/,
    ],
    ['.codex/config.toml', ['codex', 'work'], (text) => `${text}enabled = false\n`, /enabled = false/],
    [
      '.gemini/settings.json',
      ['gemini', 'work'],
      (text) => text.replace('{', '{"mcp": {"excluded": ["work"]},'),
      /Gemini CLI .*\bwork\b/,
    ],
    [
      '.gemini/settings.json',
      ['gemini', 'work'],
      (text) => text.replace('{', '{"mcp": {"allowed": ["docs"]},'),
      /Gemini CLI .*\bwork\b/,
    ],
    [
      '.claude.json',
      ['claude', 'work'],
      (text) => text.replace('{', `{"projects": {${JSON.stringify(folder)}: {"disabledMcpServers": ["work"]}},`),
      /Claude Code .*\bwork\b/,
    ],
    [
      'config/opencode/opencode.json',
      ['opencode', 'work'],
      (text) => text.replace('"enabled": true', '"enabled": false'),
      /: enabled\b/,
    ],
  ];
  for (const [file, words, change, said] of cases) {
    const { code, stdout } = await checkAfter(words, at(file), change);
    assert.notEqual(code, 0, file);
    assert.match(stdout, said, file);
  }
});

test('Codex: an Authorization of its own is taken out, in whatever form', { skip }, async () => {
  const file = at('.codex', 'config.toml');
  mkdirSync(at('.codex'), { recursive: true });
  const table = `[mcp_servers.work]\nurl = "${server}"\n`;
  for (const own of [
    `${table}\n[mcp_servers.work.http_headers]\nAuthorization = "Bearer mine"\nX-A = "1"\n`,
    `${table}http_headers = { "Authorization" = "Bearer mine" }\n`,
    `${table}http_headers.authorization = "Bearer mine"\nhttp_headers.X-A = "1"\n`,
    `${table}env_http_headers = { Authorization = "MINE" }\n`,
    `${table}http_headers = { Authorization = "Bearer mine", X-A = "1" } # both\n`,
  ]) {
    writeFileSync(file, own);
    const written = await setup(['codex', 'work', '--write']);
    assert.equal(written.code, 0, written.stderr);
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /authorization|mine/i, own);
    assert.equal(text.includes('X-A = "1"'), own.includes('X-A'), 'another header stays');
    assert.match(written.stderr, /credential/);
    assert.equal((await setup(['codex', '--undo'])).code, 0);
    assert.equal(readFileSync(file, 'utf8'), own);
  }
  rmSync(file);
});

test('--list says what is left of what was written, and --check without a program checks all of it', {
  skip,
}, async () => {
  for (const program of ['claude', 'cursor', 'git'])
    assert.equal((await setup([program, 'work', '--write'])).code, 0, program);
  const all = await setup(['--check', '--json']);
  const { entries } = JSON.parse(all.stdout);
  const found = entries.map(({ program, entry }: Record<string, string>) => `${program} ${entry}`).sort();
  assert.deepEqual(found, ['claude there', 'cursor there', 'git there']);
  writeFileSync(at('.claude.json'), '{}');
  writeFileSync(at('.cursor', 'mcp.json'), '{"mcpServers": {"work": {"command": "mine"}}}');
  const { stdout } = await setup(['--list']);
  assert.match(stdout, /claude [^\n]+\n +[^\n]*https:\/\/mcp\.example\/mcp[^\n]* \S+\.claude\.json/);
  assert.match(stdout, /cursor [^\n]+\n +[^\n]*https:\/\/mcp\.example\/mcp[^\n]* \S+mcp\.json/);
  assert.match(stdout, /git [^\n]+\n +set up: https:\/\/mcp\.example\/mcp\n/);
  writeFileSync(at('.claude.json'), '{"mcpServers": ');
  assert.match((await setup(['--list'])).stdout, /set up once: https:\/\/mcp\.example\/mcp[^\n]+ cannot be read now/);
  writeFileSync(at('.claude.json'), '{}');
  const checked = await setup(['--check', '--json']);
  assert.notEqual(checked.code, 0);
  const left = JSON.parse(checked.stdout).entries.map(({ program, entry }: Record<string, string>) => [program, entry]);
  assert.equal(Object.fromEntries(left)['git'], 'there', checked.stdout);
  assert.notEqual(Object.fromEntries(left)['claude'], 'there', checked.stdout);
  for (const program of ['claude', 'git']) assert.equal((await setup([program, '--undo'])).code, 0);
  assert.equal((await setup(['cursor', '--undo'])).code, 2, 'somebody’s own work stays');
  rmSync(at('.cursor'), { recursive: true });
  await setup(['cursor', '--undo']);
});
