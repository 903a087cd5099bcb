import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { valueIn } from '../../src/setup/formats/entry.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { needs } from '../support/needs.js';
import { launcher, runProgram } from '../support/program.js';
import { plainHome } from './plain-home.js';

const server = 'https://h.example/mcp';
const helper = `${process.execPath} ${launcher} credential headers ${server}`;

test('without --write the entry is printed, on stdout and alone, and nothing is touched', async () => {
  await using home = await plainHome();
  const { code, stdout, stderr } = await runProgram(home, ['setup', 'claude', server]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), {
    mcpServers: { 'h-example': { type: 'http', url: server, headersHelper: helper } },
  });
  assert.match(stderr, /\.claude\.json.*--write/);
  assert.match(stderr, /postern login https:\/\/h\.example\/mcp/);
  assert.equal(existsSync(join(home.path, '.claude.json')), false);
});

test('an entry names the key file and the authorities that the environment names: callers clear it', async () => {
  await using home = await plainHome();
  const env = { ...home.env, POSTERN_STORE_KEY_FILE: '/keys/a key', POSTERN_CA_FILE: '/keys/ca.pem' };
  const { stdout, stderr } = await runProgram({ ...home, env }, ['setup', 'codex', server]);
  assert.match(
    stdout,
    /"\/usr\/bin\/env 'POSTERN_STORE_KEY_FILE=\/keys\/a key' POSTERN_CA_FILE=\/keys\/ca\.pem /,
    stderr,
  );
  const relative = { ...home.env, POSTERN_STORE_KEY_FILE: 'key' };
  const other = await runProgram({ ...home, env: relative }, ['setup', 'codex', server]);
  assert.doesNotMatch(other.stdout, /POSTERN_STORE/);
});

test('--write, --list and --undo, as one does them', async () => {
  await using home = await plainHome();
  const file = join(home.path, '.claude.json');
  const before = '{\r\n\t"numStartups": 1\r\n}';
  writeFileSync(file, before);
  const written = await runProgram(home, ['setup', 'claude', server, '--as', 'notes', '--write']);
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /\bnotes\b[\s\S]*\.backup[\s\S]*postern setup claude .*--undo/);
  assert.equal(valueIn('json', readFileSync(file, 'utf8'), ['mcpServers', 'notes', 'headersHelper']), helper);
  const again = await runProgram(home, ['setup', 'claude', server, '--as', 'notes', '--write', '--json']);
  assert.equal(JSON.parse(again.stdout).outcome, 'unchanged');
  const listed = await runProgram(home, ['setup', '--list', '--json']);
  const claude = JSON.parse(listed.stdout).programs.find(({ program }: { program: string }) => program === 'claude');
  assert.deepEqual([claude.found, claude.file, claude.servers], [true, file, [server]]);
  const lines = (await runProgram(home, ['setup', '--list'])).stdout.split('\n');
  assert.match(lines[0] ?? '', /^PROGRAM +WAY +FOUND$/, 'the same in a pipe');
  assert.ok(lines.some((line) => line.startsWith('claude ')) && !lines.some((line) => line.includes('lm-studio')));
  assert.match(lines.at(-3) ?? '', /^\d+ more are not on this machine: postern setup --list --all$/);
  const all = (await runProgram(home, ['setup', '--list', '--all'])).stdout.split(/[\s,]+/);
  for (const { name } of allPrograms) assert.ok(all.includes(name), name);
  const undone = await runProgram(home, ['setup', 'claude', '--undo']);
  assert.equal(undone.code, 0, undone.stderr);
  assert.equal(readFileSync(file, 'utf8'), before);
  const nothing = await runProgram(home, ['setup', 'claude', '--undo', '--json']);
  assert.equal(nothing.code, 2);
  assert.equal(JSON.parse(nothing.stderr.trim().split('\n').at(-1) ?? '').error.code, 'nothing_to_undo');
});

test('what a hostile configuration says is shown harmlessly, if at all [A-245] [A-247]', async () => {
  await using home = await plainHome();
  const name = 'a\u001b]52;c;x\u0007\u202e';
  writeFileSync(join(home.path, '.claude.json'), JSON.stringify({ mcpServers: { [name]: { url: server } } }));
  const { stderr } = await runProgram(home, ['setup', 'claude', server]);
  assert.match(stderr, /"a\\x1b\]52;c;x\\x07\\u\{202e\}"/);
});

test('the working folder is written to only when asked, and read for nothing else [A-264]', async () => {
  await using home = await plainHome();
  writeFileSync(join(home.path, '.mcp.json'), '{ this is no JSON');
  assert.equal((await runProgram(home, ['setup', 'claude', server, '--write'])).code, 0);
  const project = await runProgram(home, ['setup', 'claude', server, '--write', '--project']);
  assert.equal(project.code, 2);
  assert.match(project.stderr, /\.mcp\.json[\s\S]*(?:entry_not_edited|program_file_unusable)/);
});

test('[A-264] --project follows no link out of the project, to whatever part of the path; one within it is followed', async () => {
  await using home = await plainHome();
  const project = join(home.path, 'project');
  const run = (program: string, ...more: readonly string[]) =>
    runProgram({ ...home, path: project }, ['setup', program, server, '--project', ...more]);
  mkdirSync(join(project, '.cursor'), { recursive: true });
  for (const name of ['out', 'project/own']) mkdirSync(join(home.path, name));
  writeFileSync(join(home.path, 'out', 'mine.json'), '{}');
  writeFileSync(join(project, 'own', 'mine.json'), '{}');
  symlinkSync('../../out/mine.json', join(project, '.cursor', 'mcp.json')); // the file
  symlinkSync(join(home.path, 'out'), join(project, '.kiro')); // a folder two above the file
  symlinkSync('../out', join(project, '.grok')); // the folder above it
  symlinkSync('../out/new', join(project, '.gemini')); // a folder that is not there
  symlinkSync('../out/new.json', join(project, '.mcp.json')); // a file that is not there
  for (const program of ['cursor', 'kiro', 'grok', 'gemini', 'claude']) {
    const { code, stderr } = await run(program, '--write');
    assert.equal(code, 2, program);
    assert.match(stderr, /program_file_unusable/, program);
  }
  assert.deepEqual(readdirSync(join(home.path, 'out')), ['mine.json']);
  assert.equal(readFileSync(join(home.path, 'out', 'mine.json'), 'utf8'), '{}');
  const shown = await run('cursor');
  assert.match(shown.stderr, /\.cursor/);
  assert.ok(valueIn('json', shown.stdout, ['mcpServers', 'h-example', 'args']), 'it is printed, to be added by hand');
  symlinkSync('own/mine.json', join(project, 'opencode.json'));
  symlinkSync(project, join(home.path, 'link'));
  const linked = { ...home, path: join(home.path, 'link') };
  const written = await runProgram(linked, ['setup', 'opencode', server, '--project', '--write']);
  assert.equal(written.code, 0, written.stderr);
  assert.match(readFileSync(join(project, 'own', 'mine.json'), 'utf8'), /postern/);
});

test('[A-264] --undo follows no link that has taken the place of a project’s folder', async () => {
  await using home = await plainHome();
  const project = { ...home, path: join(home.path, 'project') };
  mkdirSync(project.path);
  assert.equal((await runProgram(project, ['setup', 'cursor', server, '--project', '--write'])).code, 0);
  renameSync(join(project.path, '.cursor'), join(home.path, '.cursor')); // an entry like it, of the person's own
  symlinkSync('../.cursor', join(project.path, '.cursor'));
  for (const more of [[], ['--project']]) {
    const { code, stderr } = await runProgram(project, ['setup', 'cursor', '--undo', ...more]);
    assert.equal(code, 2);
    assert.match(stderr, /program_file_unusable/);
  }
  assert.match(readFileSync(join(home.path, '.cursor', 'mcp.json'), 'utf8'), /postern/);
});

test('[A-266] a folder above a program’s file that others can write to is named, and nothing is written; a usual one is not', async () => {
  await using home = await plainHome();
  const [outer, inner] = [join(home.path, '.kiro'), join(home.path, '.kiro', 'settings')];
  mkdirSync(inner, { recursive: true, mode: 0o755 });
  const write = () => runProgram(home, ['setup', 'kiro', server, '--write']);
  for (const folder of [outer, inner]) {
    chmodSync(folder, 0o777);
    const { code, stderr } = await write();
    assert.deepEqual([code, readdirSync(inner)], [2, []]);
    assert.ok(stderr.includes(`"${folder}"`) && stderr.includes('program_file_unusable'), stderr);
    chmodSync(folder, 0o755);
  }
  chmodSync(home.path, 0o755);
  chmodSync(outer, 0o1777); // as /tmp
  assert.equal((await write()).code, 0);
});

test('a file of another user’s is left alone [A-266]', async () => {
  await using home = await plainHome();
  const file = join(home.path, '.gitconfig');
  if (process.geteuid?.() === 0) {
    writeFileSync(file, '');
    chownSync(file, 1, 1);
  } else symlinkSync('/etc/hosts', file);
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await runProgram(home, ['setup', 'git', server, '--write']);
  assert.equal(code, 2);
  assert.match(stderr, /another user[\s\S]*program_file_unusable/);
  assert.equal(readFileSync(file, 'utf8'), before);
});

test('[A-266] a folder above a program’s file that is another user’s, or a group’s to write to, is no place to write', {
  skip: needs('root'),
}, async () => {
  await using home = await plainHome();
  const folder = join(home.path, '.kiro');
  mkdirSync(join(folder, 'settings'), { recursive: true });
  for (const [user, group, mode] of [
    [1, 0, 0o755],
    [0, 1, 0o775],
  ] as const) {
    chownSync(folder, user, group);
    chmodSync(folder, mode);
    const { code, stderr } = await runProgram(home, ['setup', 'kiro', server, '--write']);
    assert.equal(code, 2);
    assert.match(stderr, /"[^"]*\.kiro"[\s\S]*program_file_unusable/);
  }
  assert.deepEqual(readdirSync(join(folder, 'settings')), []);
});

test('a login and a program in the wrong order are told apart, with the line to type, by whatever name of the program', async () => {
  await using home = await plainHome();
  for (const [typed, name] of [
    ['Claude', 'claude'],
    ['claude-code', 'claude'],
    ['code', 'vscode'],
    ['bazelisk', 'bazel'],
  ] as const) {
    const { code, stderr } = await runProgram(home, ['setup', 'work', typed]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      new RegExp(`the program comes first, then the login\\.\\s+Did you mean: postern setup ${name} work`),
    );
  }
});

test('a slip of the finger is answered with what was meant, curl with its command line', async () => {
  await using home = await plainHome();
  const slip = await runProgram(home, ['setup', 'cursr', server]);
  assert.match(slip.stderr, /Did you mean "cursor"\? Run: postern setup cursor https:\/\/h\.example\/mcp\n/);
  const curl = await runProgram(home, ['setup', 'curl', server]);
  assert.equal(curl.stdout, `${helper.replace(' headers ', ' curl ')} | curl --config - ${server}\n`);
  const write = await runProgram(home, ['setup', 'curl', server, '--write']);
  assert.equal(write.code, 2);
  const none = await runProgram(home, ['setup', 'claude']);
  assert.match(none.stderr, /no login yet[\s\S]*postern login SERVER --name NAME/);
});

test('an entry’s name is no path, no option and no markup [A-267]', async () => {
  await using home = await plainHome();
  for (const name of [
    '../../.ssh/x',
    'a/b',
    'a\n[x]',
    '',
    'a"b',
    'ü',
    'x'.repeat(64),
    '-x',
    '--help',
    'a b',
    "a'b",
    'a.b',
  ]) {
    const { code, stderr } = await runProgram(home, ['setup', 'kiro', server, `--as=${name}`, '--write']);
    assert.equal(code, 2, stderr);
  }
  assert.equal(existsSync(join(home.path, '.kiro')), false);
});

test('of several entries each can be taken back; help names every program', async () => {
  await using home = await plainHome();
  for (const name of ['one', 'two']) await runProgram(home, ['setup', 'zed', server, '--as', name, '--write']);
  const several = await runProgram(home, ['setup', 'zed', '--undo']);
  assert.equal(several.code, 2);
  const remedy = /Name one: postern (setup zed \S+ --as \S+ --user --undo)/.exec(several.stderr)?.[1] ?? '';
  assert.equal((await runProgram(home, remedy.split(' '))).code, 0, several.stderr);
  assert.equal((await runProgram(home, ['setup', 'zed', '--undo'])).code, 0);
  const file = join(home.path, '.config', 'zed', 'settings.json');
  // The later one taken back first, the file is as it never was; which is named first is left open.
  if (existsSync(file)) assert.doesNotMatch(readFileSync(file, 'utf8'), /postern/);
  const help = (await runProgram(home, ['help', 'setup'])).stdout.replace(/\s+/g, ' ');
  for (const { name } of allPrograms) assert.match(help, new RegExp(`[ ,;]${name}[ ,;]`), name);
});
