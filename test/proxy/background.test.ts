import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTopic } from '../../src/app/help/topics.js';
import { programs } from '../../src/setup/programs/programs.js';
import { needs } from '../support/needs.js';
import { scene, server } from './typed.js';

test('the key of --key-file is made once, for its owner alone, and the address stays with it [A-213]', async () => {
  await using s = await scene();
  const { url, key } = await s.served('--key-file', s.keyFile);
  assert.match(url.pathname, /^\/[\w-]{43}\/work$/);
  assert.equal((await stat(s.keyFile)).mode & 0o777, 0o600);
  assert.equal(await readFile(s.keyFile, 'utf8'), `${key}\n`);
  assert.equal((await s.served('--key-file', s.keyFile, '--port', url.port)).url.href, url.href);
});

test('a key file that others can read, that is no plain file, or that holds no key of ours is not used [A-202] [A-213]', async () => {
  await using s = await scene();
  const at = (name: string) => join(s.home.path, name);
  await writeFile(at('open'), `${'k'.repeat(43)}\n`, { mode: 0o600 });
  await chmod(at('open'), 0o640);
  await writeFile(at('short'), 'k\n', { mode: 0o600 });
  await writeFile(at('other'), `${'/'.repeat(43)}\n`, { mode: 0o600 });
  await symlink(at('gone'), at('dangling'));
  await mkdir(at('folder'));
  for (const name of ['open', 'short', 'other', 'dangling', 'folder', 'none/key']) {
    const { code, stdout, stderr } = await s.said([
      'proxy',
      'work',
      '--key-file',
      at(name),
      '--json',
      '--until-stdin-ends',
    ]);
    assert.deepEqual([code, stdout], [2, ''], name);
    assert.match(stderr, /"code":"local_key_unusable"/, name);
  }
  await assert.rejects(stat(at('gone')));
});

const serving = (keyFile: string, kind: string) => [
  ...['proxy', 'work', '--port', '8123', '--key-file', keyFile, '--deny-tool', 'a*', '--grace', '3'],
  ...['--timeout', '600', '--print-service', kind],
];

/** What the service manager is to run, and the words behind the two that start postern. */
const wordsWith = (keyFile: string, script: string) => [
  ...[process.execPath, script, 'proxy', 'work', '--port=8123', `--key-file=${keyFile}`],
  ...['--grace=3', '--deny-tool=a*', '--non-interactive'],
];

/** Folders that people have, and some that nobody should. */
const folders = [
  'plain',
  'My Documents',
  '100% sure',
  'a$HOME b',
  "it's",
  'q"uote',
  'back\\slash',
  'Zoë ✓',
  '%h%n',
  'a;b#c',
  'new\nline',
];

test('systemd-analyze has nothing to say of the unit, wherever the files lie, and no key is in it [A-214]', {
  skip: needs('systemd'),
}, async () => {
  await using s = await scene();
  const key = 'K'.repeat(43);
  const units: string[] = [];
  for (const [at, folder] of folders.entries()) {
    const inside = join(s.home.path, folder);
    await mkdir(inside, { recursive: true });
    await writeFile(join(inside, 'key'), `${key}\n`, { mode: 0o600 });
    const env = { POSTERN_CONFIG_DIR: inside };
    const script = join(inside, 'p.js');
    const { stdout, stderr } = await s.said(serving(join(inside, 'key'), 'systemd'), { script, env });
    assert.ok(!(stdout + stderr).includes(key), folder);
    assert.match(stderr, /http:\/\/127\.0\.0\.1:8123\/KEY\/work/);
    assert.deepEqual(systemdWords(stdout), wordsWith(join(inside, 'key'), script));
    units.push(join(s.home.path, `postern-${at}.service`));
    await writeFile(units[at] ?? '', stdout);
  }
  const verify = (...files: readonly string[]) => {
    const words = ['verify', '--user', '--man=no', ...files];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { env: s.home.env, encoding: 'utf8' });
    return [status, stdout + stderr] as const;
  };
  assert.deepEqual(verify(...units), [0, '']);
  const broken = join(s.home.path, 'broken.service');
  await writeFile(broken, (await readFile(units[0] ?? '', 'utf8')).replace(process.execPath, '/none/node'));
  assert.notEqual(verify(broken)[0], 0, 'it does look at the path');
});

/** The words of `ExecStart=` as systemd.syntax(7) has them; a specifier or a variable stays as it is. */
function systemdWords(unit: string): readonly string[] {
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word
      .replace(/([%$])(.?)/g, (_, one, next) => (next === one ? one : 'something else'))
      .replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, code, one) => one ?? String.fromCharCode(Number.parseInt(code, 16))),
  );
}

/** What a program makes of these texts, as JSON. */
function python(reader: string, texts: readonly string[]): readonly unknown[] {
  const script = `import plistlib,json,sys,xml.etree.ElementTree as E\n${reader}\nprint(json.dumps([read(t) for t in json.load(sys.stdin)]))`;
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('a reader of property lists finds in the agent the words that start the proxy', {
  skip: needs('python3'),
}, async () => {
  await using s = await scene();
  const filesOf = (folder: string) => [`/Users/${folder}/key`, `/Users/${folder}/<&>]]>.js`] as const;
  const texts: string[] = [];
  for (const folder of folders) {
    const [keyFile, script] = filesOf(folder);
    const env = { POSTERN_CONFIG_DIR: `/Users/${folder}` };
    texts.push((await s.said(serving(keyFile, 'launchd'), { script, env })).stdout);
  }
  const found = python('def read(t): return plistlib.loads(t.encode())', texts) as Record<
    string,
    Record<string, unknown>
  >[];
  for (const [at, folder] of folders.entries()) {
    assert.deepEqual(found[at]?.['ProgramArguments'], wordsWith(...filesOf(folder)));
    const config = found[at]?.['EnvironmentVariables']?.['POSTERN_CONFIG_DIR'];
    assert.deepEqual([found[at]?.['Label'], config], ['postern.proxy.work', `/Users/${folder}`]);
  }
});

test('a reader of XML finds in the task the words that start the proxy; what would be replaced there is refused', {
  skip: needs('python3'),
}, async () => {
  await using s = await scene();
  const reader = `
n = '{http://schemas.microsoft.com/windows/2004/02/mit/task}'
def read(t): return [E.fromstring(t).find(f'.//{n}{x}').text for x in ('Command', 'Arguments', 'UserId', 'RunLevel')]`;
  const env = { USERDOMAIN: 'P&C', USERNAME: 'Zoë', SystemRoot: 'C:\\Windows' };
  const said = ['plain', 'My Documents', 'Zoë ✓', 'a&b', "it's", 'ends in \\'];
  const filesOf = (folder: string) => [`/${folder}/key`, `/${folder}`] as const;
  const texts: string[] = [];
  for (const folder of said) {
    const [keyFile, script] = filesOf(folder);
    texts.push((await s.said(serving(keyFile, 'windows'), { script, env })).stdout);
  }
  for (const [at, found] of (python(reader, texts) as string[][]).entries()) {
    const [command, line, ...others] = found;
    assert.deepEqual([command, ...others], ['C:\\Windows\\System32\\conhost.exe', 'P&C\\Zoë', 'LeastPrivilege']);
    assert.deepEqual(windowsWords(line ?? ''), ['--headless', ...wordsWith(...filesOf(said[at] ?? ''))]);
  }
  for (const folder of ['a%PATH%', '$(Arg0)', 'a"b']) {
    const { code, stdout } = await s.said(serving(`/${folder}/key`, 'windows'), { env });
    assert.deepEqual([code, stdout], [2, ''], folder);
  }
});

/** As CommandLineToArgvW takes a line without escaped quotes apart. */
function windowsWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, bare]) =>
    inQuotes === undefined ? (bare ?? '') : inQuotes.replace(/(\\+)$/, (all) => all.slice(all.length / 2)),
  );
}

test('no unit for what a service would lack, or what others could read in it', async () => {
  await using s = await scene({ name: 'work', server }, { server: `${server}?key=${'s'.repeat(20)}` });
  const service = ['--print-service', 'systemd'];
  const stays = ['--port', '8123', '--key-file', '/k'];
  for (const [words, what] of [
    [['work', ...service, '--port', '8123'], 'no key file'],
    [['work', ...service, '--key-file', '/k'], 'no port'],
    [['work', ...service, '--port', '8123', '--socket', '/s'], 'a socket'],
    [['work', ...service, ...stays, '--until-stdin-ends'], 'another start alone'],
    [['work', ...service, ...stays, '--header-env', 'X'], 'a variable of this shell'],
    [[`${server}?key=${'s'.repeat(20)}`, ...service, ...stays], 'a secret in the address'],
  ] as const) {
    const { code, stdout } = await s.said(['proxy', ...words]);
    assert.deepEqual([code, stdout], [2, ''], what);
  }
  const nobody = await s.said(['proxy', 'nobody', ...service, ...stays]);
  assert.deepEqual([nobody.code, nobody.stdout], [3, '']);
});

test('setup prints an entry with the address for each program that takes a URL, and writes nothing [A-213]', async () => {
  await using s = await scene();
  const { key } = await s.served('--key-file', s.keyFile);
  const files = async () => (await readdir(s.home.path, { recursive: true })).sort();
  const before = await files();
  const through = ['work', '--proxy', '8123', '--key-file', s.keyFile];
  for (const { name } of programs.filter(({ url }) => url !== undefined)) {
    const { code, stdout, stderr } = await s.said(['setup', name, ...through]);
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(`http://127.0.0.1:8123/${key}/work`), name);
    assert.doesNotMatch(stdout, /bridge|credential|headersHelper/, name);
    assert.doesNotMatch(stderr, /--write/, name);
  }
  for (const words of [
    ['git', ...through],
    ['cursor', 'work', '--proxy', '8123'],
    ...['--write', '--project', '--check'].map((option) => ['cursor', ...through, option]),
  ]) {
    const { code, stdout } = await s.said(['setup', ...words]);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
  }
  assert.deepEqual(await files(), before);
});

test('OpenCode’s native form is kept for a URL, too', async () => {
  await using s = await scene();
  const folder = join(s.home.path, 'config', 'opencode');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'opencode.json'),
    '{"mcp": {"servers": {"mine": {"type": "remote", "url": "https://mine.example"}}}}\n',
  );
  const { stdout } = await s.said(['setup', 'opencode', 'work', '--proxy', '8123', '--key-file', s.keyFile]);
  const key = (await readFile(s.keyFile, 'utf8')).trim();
  assert.deepEqual(JSON.parse(stdout).mcp.servers.work, { type: 'remote', url: `http://127.0.0.1:8123/${key}/work` });
});

test('which programs take no URL is said by help', () => {
  const others = programs.filter(({ calls, url }) => ['headers', 'bridge'].includes(calls) && url === undefined);
  const [, said = ''] = /above: ([\w, -]+) get none/.exec(readTopic('hosts').text) ?? [];
  assert.deepEqual(said.split(/, | and /).sort(), others.map(({ name }) => name).sort());
});
