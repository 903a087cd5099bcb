import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { shimText } from '../../src/credential/shim.js';
import { needs } from '../support/needs.js';
import { launcher } from '../support/program.js';
import { seed, server, token, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');

test('a shim needs no argument, no PATH and no variable but the bus; it finds the logins of whoever made it', {
  skip,
}, async () => {
  await using seeded = await seed(work());
  const folder = join(seeded.home.path, "a folder's $HOME");
  await mkdir(folder);
  const shim = join(folder, 'headers');
  const made = await seeded.ask(['headers', 'work', '--shim', shim]);
  assert.deepEqual([made.code, made.stdout], [0, ''], made.stderr);
  assert.equal((await stat(shim)).mode & 0o777, 0o700);
  assert.doesNotMatch(await readFile(shim, 'utf8'), /tok\.en/);
  const run = (path: string, args: readonly string[], input = '') =>
    spawnSync(path, args, { env: seeded.keyring.env, cwd: '/', input, encoding: 'utf8' });
  assert.equal(run(shim, []).stdout, `{"Authorization":"Bearer ${token}"}\n`);
  const bazel = join(folder, 'bazel');
  assert.equal((await seeded.ask(['bazel', '--shim', bazel])).code, 0);
  assert.match(run(bazel, ['get'], `{"uri":"${server}"}`).stdout, /^\{"headers":\{"Authorization":\["Bearer /);
  assert.equal(run(bazel, ['get'], '{"uri":"https://other.example/"}').stdout, '{"headers":{}}\n');
});

test('a shim names the authorities that are trusted here, and no proxy, of which it is told', { skip }, async () => {
  await using seeded = await seed(work());
  const shim = join(seeded.home.path, 'shim');
  const env = { NODE_EXTRA_CA_CERTS: '/keys/ca.pem', HTTPS_PROXY: 'http://u:pass-of-proxy@p.example:1' };
  const { stderr } = await seeded.ask(['headers', 'work', '--shim', shim], { env });
  assert.match(stderr, /Note: HTTPS_PROXY is set in this shell and not in that file/);
  assert.doesNotMatch(stderr, /pass-of-proxy/);
  const text = await readFile(shim, 'utf8');
  assert.match(text, /^export NODE_EXTRA_CA_CERTS=\/keys\/ca\.pem$/m);
  assert.doesNotMatch(text, /PROXY|\/\/p\.example/);
});

test('a shim replaces its like and nothing else, and never through a link', { skip }, async () => {
  await using seeded = await seed(work());
  const at = (name: string) => join(seeded.home.path, name);
  const write = (name: string, ...words: string[]) => seeded.ask([...words, '--shim', at(name)]);
  assert.equal((await write('shim', 'headers', 'work')).code, 0);
  await chmod(at('shim'), 0o755);
  assert.equal((await write('shim', 'token', 'work')).code, 0);
  assert.match(await readFile(at('shim'), 'utf8'), /credential token https:\/\/mcp\.example\/mcp/);
  assert.equal((await stat(at('shim'))).mode & 0o777, 0o700);
  await writeFile(at('own'), '#!/bin/sh\necho mine\n');
  await symlink(at('own'), at('link'));
  for (const name of ['own', 'link', 'config']) {
    const { code, stderr } = await write(name, 'headers', 'work');
    assert.equal(code, 2);
    assert.match(stderr, /shim_refused/);
  }
  assert.equal(await readFile(at('own'), 'utf8'), '#!/bin/sh\necho mine\n');
  for (const [words, code] of [
    [['headers', 'nowhere'], 3],
    [['token'], 2],
    [['headers', 'work', 'x'], 2],
    [['env', 'work', '--var', 'PATH'], 2],
  ] as const) {
    assert.equal((await write('never', ...words)).code, code, words.join(' '));
  }
  await assert.rejects(stat(at('never')));
  assert.equal((await write('no/such/folder', 'headers', 'work')).code, 2);
});

test('the text of a shim is one command, quoted for its platform', () => {
  const words = ['credential', 'headers', "it's", '--account', '$(id)'];
  assert.equal(
    shimText(
      { platform: 'linux', homedir: '/home/ann' },
      ['/opt/my node', '/x/postern.js'],
      { POSTERN_STATE_DIR: '/a b' },
      words,
    ),
    "#!/bin/sh\n# Written by postern credential --shim; it may be replaced by it.\nexport POSTERN_STATE_DIR='/a b'\n" +
      "exec '/opt/my node' /x/postern.js credential headers 'it'\\''s' --account '$(id)' \"$@\"\n",
  );
  const batch = shimText(
    { platform: 'win32', homedir: 'C:\\Users\\ann' },
    ['C:\\node.exe', 'C:\\x y\\postern.js'],
    {},
    ['credential', 'headers', 'https://a.example/%7E'],
  );
  assert.match(batch, /^@echo off\r\n@rem Written by postern/);
  assert.match(
    batch,
    /\r\n@"C:\\node\.exe" "C:\\x y\\postern\.js" "credential" "headers" "https:\/\/a\.example\/%%7E" %\*\r\n$/,
  );
  const zoe = { platform: 'win32', homedir: 'C:\\Users\\Zoë' };
  const state = { POSTERN_STATE_DIR: 'C:\\Users\\Zoë\\s' };
  const named = shimText(zoe, ['C:\\node.exe', 'C:\\users\\Zoë\\p.js'], state, ['a"&calc&"b']);
  assert.match(
    named,
    /^@echo off\r\n@rem Written[^\r]*\r\n@setlocal [^\r]*\r\n@set "POSTERN_STATE_DIR=%USERPROFILE%\\s"/,
  );
  assert.match(named, /\r\n@"C:\\node\.exe" "%USERPROFILE%\\p\.js" "a""&calc&""b" %\*\r\n$/);
  assert.match(shimText(zoe, ['D:\\Zoë\\n.exe', 'x'], {}, []), /^@echo off\r\n@rem [^\r]*\r\n@chcp 65001 >nul\r\n/);
  assert.ok(launcher.endsWith('postern.js'));
});
