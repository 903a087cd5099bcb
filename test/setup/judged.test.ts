import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seeded, seed, server, token, work } from '../credential/seeded.js';
import { startHttp } from '../support/http-server.js';
import { needs } from '../support/needs.js';
import { newerPrograms } from '../support/newer-programs.js';
import { launcher, programCommand, runProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { runWithUserBus } from './user-bus.js';

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

test('--check tells of an entry by name, and for which server that name is now; it never says “would get” by another login', {
  skip,
}, async () => {
  const byName = { mcpServers: { work: { type: 'http', url: server, headersHelper: `${call} work` } } };
  writeFileSync(at('.claude.json'), JSON.stringify(byName));
  const old = await setup(['claude', 'work', '--check']);
  assert.equal(old.code, 2);
  assert.match(old.stdout, /not what postern would write now: add --write/);
  assert.match(old.stdout, /names the login "work", and not the server: an earlier release wrote it/);
  assert.match(old.stdout, /would get a token of/, 'it goes on working');
  assert.ok(world !== undefined);
  await storeLogin(world.home, {
    ...work({ name: 'moved' }),
    server: otherServer,
    accessToken: 'other.token',
  });
  writeFileSync(at('.claude.json'), JSON.stringify(byName).replace('headers work', 'headers moved'));
  const other = await setup(['claude', 'work', '--check']);
  assert.notEqual(other.code, 0);
  assert.match(other.stdout, /"moved", which is now the login for "https:\/\/other\.example\/mcp"/);
  assert.match(other.stdout, /would get nothing/);
  const cursor = {
    mcpServers: { work: { command: process.execPath, args: [launcher, 'bridge', otherServer] } },
  };
  mkdirSync(at('.cursor'));
  writeFileSync(at('.cursor', 'mcp.json'), JSON.stringify(cursor));
  const bridged = await setup(['cursor', 'work', '--check']);
  assert.notEqual(bridged.code, 0);
  assert.match(bridged.stdout, /It is for another login: "https:\/\/other\.example\/mcp"/);
  rmSync(at('.cursor'), { recursive: true });
  rmSync(at('.claude.json'));
});

test('--check tells of a program that is gone, of somebody else’s entry, and of what is set otherwise', {
  skip,
}, async () => {
  const file = at('.claude.json');
  const gone = await checkAfter(['claude', 'work'], file, (text) =>
    text.replace(launcher, '/gone/postern.js'),
  );
  assert.equal(gone.code, 2);
  assert.match(gone.stdout, /starts "\/gone\/postern\.js", which is not there[\s\S]+could not start postern/);
  const foreign = await checkAfter(['claude', 'work'], file, (text) =>
    text.replace(/credential headers/, 'x'),
  );
  assert.equal(foreign.code, 2);
  assert.match(foreign.stdout, /is not one of postern’s, so it was not run/);
  assert.doesNotMatch(foreign.stdout, /would get/);
  const url = await checkAfter(['claude', 'work'], file, (text) =>
    text.replace(/"url": "[^"]+"/, `"url": "${otherServer}"`),
  );
  assert.notEqual(url.code, 0);
  assert.match(url.stdout, /holds something else in: url[\s\S]+would get nothing/);
  const header = await checkAfter(['claude', 'work'], file, (text) =>
    text.replace('"type"', '"headers": {"authorization": "Bearer mine"}, "type"'),
  );
  assert.equal(header.code, 2);
  assert.match(header.stdout, /holds something else in: headers/);
});

test('of the words in a file --check passes on those alone that name a login [A-264]', { skip }, async () => {
  const trace = at('trace');
  const planted = `credential headers ${server} --shim ${trace} --show-secret`;
  const found = await checkAfter(['claude', 'work'], at('.claude.json'), (text) =>
    text.replace(`credential headers ${server}`, planted),
  );
  assert.equal(found.code, 2);
  assert.match(found.stdout, /words that postern would not write: "--shim" "[^"]+trace" "--show-secret"/);
  assert.match(found.stdout, /would get a token of/);
  assert.equal(existsSync(trace), false);
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
      /Not used: The entry is switched off \("disabled": true\)/,
    ],
    [
      '.codex/config.toml',
      ['codex', 'work'],
      (text) => `${text}enabled = false\n`,
      /Not used: The entry is switched off \(enabled = false\)/,
    ],
    [
      '.gemini/settings.json',
      ['gemini', 'work'],
      (text) => text.replace('{', '{"mcp": {"excluded": ["work"]},'),
      /Not used: Gemini CLI leaves work out/,
    ],
    [
      '.gemini/settings.json',
      ['gemini', 'work'],
      (text) => text.replace('{', '{"mcp": {"allowed": ["docs"]},'),
      /Not used: Gemini CLI leaves work out/,
    ],
    [
      '.claude.json',
      ['claude', 'work'],
      (text) =>
        text.replace('{', `{"projects": {${JSON.stringify(folder)}: {"disabledMcpServers": ["work"]}},`),
      /Not used: In this folder Claude Code has work switched off/,
    ],
    [
      'config/opencode/opencode.json',
      ['opencode', 'work'],
      (text) => text.replace('"enabled": true', '"enabled": false'),
      /holds something else in: enabled/,
    ],
  ];
  for (const [file, words, change, said] of cases) {
    const { code, stdout } = await checkAfter(words, at(file), change);
    assert.notEqual(code, 0, file);
    assert.match(stdout, said, file);
  }
});

test('Codex: an Authorization of its own is taken out, in whatever form; one that cannot be is named and fails --check', {
  skip,
}, async () => {
  const file = at('.codex', 'config.toml');
  mkdirSync(at('.codex'), { recursive: true });
  const table = `[mcp_servers.work]\nurl = "${server}"\n`;
  for (const own of [
    `${table}\n[mcp_servers.work.http_headers]\nAuthorization = "Bearer mine"\nX-A = "1"\n`,
    `${table}http_headers = { "Authorization" = "Bearer mine" }\n`,
    `${table}http_headers.authorization = "Bearer mine"\nhttp_headers.X-A = "1"\n`,
    `${table}env_http_headers = { Authorization = "MINE" }\n`,
  ]) {
    writeFileSync(file, own);
    const written = await setup(['codex', 'work', '--write']);
    assert.equal(written.code, 0, written.stderr);
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /authorization|mine/i, own);
    assert.equal(text.includes('X-A = "1"'), own.includes('X-A'), 'another header stays');
    assert.match(written.stderr, /held a credential of its own/);
    assert.equal((await setup(['codex', '--undo'])).code, 0);
    assert.equal(readFileSync(file, 'utf8'), own);
  }
  writeFileSync(file, `${table}http_headers = { Authorization = "Bearer mine", X-A = "1" }\n`);
  const written = await setup(['codex', 'work', '--write']);
  assert.match(
    written.stderr,
    /http_headers of this entry holds an Authorization of its own, which wins; remove it/,
  );
  const checked = await setup(['codex', 'work', '--check']);
  assert.notEqual(checked.code, 0);
  assert.match(checked.stdout, /Not used: http_headers of this entry/);
  await setup(['codex', '--undo']);
  rmSync(file);
});

test('--list says what is left of what was written, and --check without a program checks all of it', {
  skip,
}, async () => {
  for (const program of ['claude', 'cursor', 'git', 'bazel'])
    assert.equal((await setup([program, 'work', '--write'])).code, 0, program);
  const all = await setup(['--check', '--json']);
  const { entries } = JSON.parse(all.stdout);
  const found = entries.map(({ program, entry }: Record<string, string>) => `${program} ${entry}`).sort();
  assert.deepEqual(found, ['bazel there', 'claude there', 'cursor there', 'git there']);
  writeFileSync(at('.claude.json'), '{}');
  writeFileSync(at('.cursor', 'mcp.json'), '{"mcpServers": {"work": {"command": "mine"}}}');
  const { stdout } = await setup(['--list']);
  assert.match(
    stdout,
    /claude [^\n]+\n +no longer set up: https:\/\/mcp\.example\/mcp, gone from \S+\.claude\.json/,
  );
  assert.match(
    stdout,
    /cursor [^\n]+\n +no longer set up: https:\/\/mcp\.example\/mcp, its entry in \S+ is another now/,
  );
  assert.match(stdout, /git [^\n]+\n +set up: https:\/\/mcp\.example\/mcp\n/);
  const checked = await setup(['--check']);
  assert.notEqual(checked.code, 0);
  assert.match(checked.stdout, /^claude {2}https:\/\/mcp\.example\/mcp\n {2}The entry is not in/m);
  assert.match(checked.stdout, /^git {2}https:\/\/mcp\.example\/mcp\n {2}The entry is in/m);
  for (const program of ['claude', 'git', 'bazel']) assert.equal((await setup([program, '--undo'])).code, 0);
  assert.equal((await setup(['cursor', '--undo'])).code, 2, 'somebody’s own work stays');
  rmSync(at('.cursor'), { recursive: true });
  await setup(['cursor', '--undo']);
});

/** A program of that name on the PATH that says a version; git goes on reading configuration. */
function older(name: string, says: string): Readonly<Record<string, string>> {
  const folder = at('older');
  mkdirSync(folder, { recursive: true });
  const real = `PATH='${process.env['PATH']}'; [ "$1" = config ] && exec ${name} "$@"`;
  writeFileSync(join(folder, name), `#!/bin/sh\n${real}\necho '${says}'\n`);
  chmodSync(join(folder, name), 0o700);
  return { PATH: `${folder}:${process.env['PATH']}` };
}

test('git before 2.46 at a server that takes Bearer tokens alone, and go before 1.24, are told and fail --check', {
  skip: skip || needs('git'),
}, async () => {
  let challenge = 'Bearer';
  await using http = await startHttp((_, response) => {
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  assert.ok(world !== undefined);
  const url = `${http.origin}/mcp`;
  await storeLogin(world.home, { ...work({ name: 'here' }), server: url });
  const env = older('git', 'git version 2.39.5');
  const written = await setup(['git', 'here', '--write'], env);
  assert.match(written.stderr, /Note: git 2\.39 sends no Bearer token/);
  const bearer = await setup(['git', 'here', '--check'], env);
  assert.equal(bearer.code, 2, bearer.stdout);
  assert.match(bearer.stdout, /Not used: git 2\.39 sends no Bearer token[^\n]+git 2\.46 does/);
  challenge = 'Basic realm="git", Bearer';
  const basic = await setup(['git', 'here', '--check'], env);
  assert.equal(basic.code, 0, basic.stdout);
  assert.match(basic.stdout, /Note: git 2\.39 /);
  challenge = 'Bearer';
  const newer = await setup(['git', 'here', '--check'], older('git', 'git version 2.46.0'));
  assert.deepEqual([newer.code, /Not used|Note/.test(newer.stdout)], [0, false], newer.stdout);
  await setup(['git', '--undo']);
  assert.equal((await setup(['go', 'work', '--write'])).code, 0);
  const go = await setup(['go', 'work', '--check'], older('go', 'go version go1.22.2 linux/amd64'));
  assert.equal(go.code, 2);
  assert.match(go.stdout, /Not used: go 1\.22 asks no program for a credential/);
  const goNow = await setup(['go', 'work', '--check'], older('go', 'go version go1.26.1 linux/amd64'));
  assert.equal(goNow.code, 0, goNow.stdout);
  await setup(['go', '--undo']);
  rmSync(at('older'), { recursive: true });
});

test('git of the next Debian says its version as it is read', {
  skip: skip || needs('git 2.46'),
}, async () => {
  mkdirSync(at('newer'));
  writeFileSync(at('newer', 'git'), `#!/bin/sh\nexec ${newerPrograms.git} "$@"\n`, { mode: 0o700 });
  assert.equal((await setup(['git', 'work', '--write'])).code, 0);
  const { code, stdout } = await setup(['git', 'work', '--check'], {
    PATH: `${at('newer')}:${process.env['PATH']}`,
  });
  assert.deepEqual([code, /Note/.test(stdout)], [0, false], stdout);
  await setup(['git', '--undo']);
});

test('Codex in a shell with a session bus of its own: --store file is what helps, and is said', {
  skip,
}, async () => {
  const written = await setup(['codex', 'work', '--write']);
  assert.match(
    written.stderr,
    /starts postern without this shell’s session bus[^\n]+--store file[^\n]+postern move file/,
  );
  const checked = await setup(['codex', 'work', '--check']);
  assert.equal(checked.code, 7, checked.stdout);
  assert.match(checked.stdout, /--store file/);
  await setup(['codex', '--undo']);
  assert.doesNotMatch((await setup(['claude', 'work'])).stderr, /session bus/);
});

test('Codex in a desktop’s session finds the keychain, and nothing is said', {
  skip: skip || needs('root'),
}, async () => {
  assert.ok(world !== undefined);
  const { home } = world;
  const usual = { ...home, env: { ...home.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/0/bus' } };
  const script = `DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$(id -u)/bus exec "$@"`;
  const words = programCommand(['setup', 'codex', 'work']);
  const { code, stderr } = await runWithUserBus(home, ['sh', '-c', script, 'sh', ...words]);
  assert.deepEqual([code, /session bus/.test(stderr)], [0, false], stderr);
  assert.ok(usual.path === home.path && token.length > 0);
});

test('the entry of a person and that of a folder are told apart at --undo', { skip }, async () => {
  assert.ok(world !== undefined);
  const folder = at('project');
  mkdirSync(folder);
  const inFolder = (...words: string[]) =>
    runProgram({ ...(world as Seeded).home, path: folder }, ['setup', ...words]);
  writeFileSync(at('.bazelrc'), 'build -c opt\n');
  assert.equal((await setup(['bazel', 'work', '--write'])).code, 0);
  assert.equal((await inFolder('bazel', 'work', '--project', '--write')).code, 0);
  const which = await inFolder('bazel', 'work', '--undo');
  assert.equal(which.code, 2);
  assert.match(
    which.stderr,
    /several entries there: [^\n]*--(?:user|project) \([^)]+\.bazelrc\)[^\n]*\n?[^\n]*--undo/,
  );
  const of = await inFolder('bazel', 'work', '--undo', '--project');
  assert.equal(of.code, 0, of.stderr);
  assert.equal(existsSync(join(folder, '.bazelrc')), false);
  assert.match(readFileSync(at('.bazelrc'), 'utf8'), /--credential_helper/);
  assert.equal((await inFolder('bazel', 'work', '--project', '--write')).code, 0);
  assert.equal((await inFolder('bazel', 'work', '--undo', '--user')).code, 0);
  assert.equal(readFileSync(at('.bazelrc'), 'utf8'), 'build -c opt\n');
  assert.match(readFileSync(join(folder, '.bazelrc'), 'utf8'), /--credential_helper/);
  assert.equal((await inFolder('bazel', '--undo')).code, 0);
});

test('a .bazelrc whose last line goes on keeps its meaning: the entry stands behind an empty line', {
  skip,
}, async () => {
  for (const text of ['build --jobs=2 \\', 'build --jobs=2 \\\n', 'build --jobs=2 \\\r\n']) {
    writeFileSync(at('.bazelrc'), text);
    assert.equal((await setup(['bazel', 'work', '--write'])).code, 0);
    const lines = readFileSync(at('.bazelrc'), 'utf8').split(/\r?\n/);
    assert.deepEqual(lines.slice(0, 2), ['build --jobs=2 \\', '']);
    assert.match(lines[2] ?? '', /^common --credential_helper=/);
    assert.equal((await setup(['bazel', '--undo'])).code, 0);
    assert.equal(readFileSync(at('.bazelrc'), 'utf8'), text);
  }
  rmSync(at('.bazelrc'));
});

test('--shim into a folder that is not there names it, with mkdir -p', { skip }, async () => {
  assert.ok(world !== undefined);
  const path = at('no such', 'folder', 'shim');
  const { code, stdout, stderr } = await world.ask(['headers', 'work', '--shim', path]);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /folder "[^"]+no such\/folder" is not there[^\n]+mkdir -p '[^']+no such\/folder'/);
});

test('--undo finds what was written by a name that no login has any more', { skip }, async () => {
  assert.ok(world !== undefined);
  await storeLogin(world.home, { ...work({ name: 'brief' }), server: 'https://brief.example/mcp' });
  writeFileSync(at('.claude.json'), '{}');
  assert.equal((await setup(['claude', 'brief', '--write'])).code, 0);
  assert.equal((await runProgram(world.home, ['logout', 'brief'])).code, 0);
  const undone = await setup(['claude', 'brief', '--undo']);
  assert.equal(undone.code, 0, undone.stderr);
  assert.doesNotMatch(readFileSync(at('.claude.json'), 'utf8'), /brief/);
});
