import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { type Finished, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary.js';

/** The single executable of the program as it was built, and the Debian package of that. */
let folder: TemporaryFolder;
let executable = '';

before(async () => {
  folder = await temporaryFolder();
  executable = join(folder.path, 'postern');
  release('executable.mjs', executable);
});
after(() => folder[Symbol.asyncDispose]());

/** Runs a script of the release; its output. */
function release(script: string, ...words: readonly string[]): string {
  const path = join(repositoryRoot, '.build', 'release', script);
  return execFileSync(process.execPath, [path, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(home: Home, ...words: readonly string[]): Promise<Finished> {
  await using running = startCommand(executable, words, home);
  running.stdin.end();
  return await running.finished;
}

async function mustRun(home: Home, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(home, ...words);
  assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
  assert.doesNotMatch(stderr, /\(node:\d+\)|warning/i);
  return stdout;
}

test('the single executable logs in, and all that it starts or has others start is itself', {
  skip: needs('gnome-keyring', 'dbus', 'sh'),
}, async () => {
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  await using sandbox = await startSandbox({ approve: true, accessTokenSeconds: 30 });
  await mustRun(home, 'login', sandbox.serverUrl, '--device', '--name', 'work');
  assert.equal((await keyring.items()).length, 1);
  const token = await mustRun(home, 'token', 'work');
  assert.match(token, /^\S{20,}\n$/);
  assert.match(await mustRun(home, 'call', 'work', 'whoami'), /\w/);
  // The refresh is in a process of its own, which outlives this one.
  const refreshed = await mustRun(home, 'credential', 'token', 'work', '--min-ttl', '60').catch(() => '');
  assert.notEqual(await mustRun(home, 'token', 'work', '--refresh'), token);
  assert.notEqual(refreshed, token);
  const shim = join(home.path, 'shim');
  await mustRun(home, 'credential', 'headers', 'work', '--shim', shim);
  assert.match(await readFile(shim, 'utf8'), new RegExp(`^exec ${executable} credential headers `, 'm'));
  assert.match(execFileSync(shim, { env: home.env, encoding: 'utf8' }), /"Authorization":\s*"Bearer /);
  const entry: { entry: string } = JSON.parse(await mustRun(home, 'setup', 'cursor', 'work', '--json'));
  assert.match(JSON.stringify(entry), new RegExp(`${executable}[^]{1,20}bridge`));
  assert.match(await mustRun(home, 'status', '--check'), /work/);
});

/** As macOS has it: one request to the keychain by the native part, in a process that is the executable itself. */
async function askKeychain(home: Home, request: object): Promise<unknown> {
  await using running = startCommand(executable, ['__keychain'], home);
  running.stdin.write(`${JSON.stringify({ account: 'canary', ...request })}\n`);
  return JSON.parse((await running.finished).stdout);
}

test('the native part of the keychain lies in the state folder, closed to others, and is what was built in', {
  skip: needs('gnome-keyring', 'dbus'),
}, async () => {
  await using keyring = await startKeyring();
  await using home = await makeHome({ ...keyring.env, TMPDIR: '/nonexistent' });
  assert.deepEqual(await askKeychain(home, { operation: 'write', text: 'a secret' }), { ok: true, value: true });
  const native = join(home.path, 'state', 'postern', 'native');
  const [name = '', ...others] = await readdir(native);
  assert.deepEqual(others, []);
  const file = join(native, name);
  assert.equal((await stat(native)).mode & 0o077, 0);
  assert.equal((await stat(file)).mode & 0o177, 0);
  const built = await readFile(file);
  await writeFile(file, 'somebody else’s code');
  await writeFile(join(native, `${'0'.repeat(64)}.node`), 'of an older version', { mode: 0o600 });
  assert.deepEqual(await askKeychain(home, { operation: 'read' }), { ok: true, value: 'a secret' });
  assert.deepEqual(await readFile(file), built);
  assert.deepEqual(await readdir(native), [name]);
  await mustRun(home, 'uninstall', '--yes');
  assert.equal(existsSync(join(home.path, 'state', 'postern')), false);
});

test('the sandbox, completion and help are in the executable, and nothing beside it is read', async () => {
  await using home = await makeHome();
  const alone = join(home.path, 'alone');
  await mkdir(join(alone, 'dist'), { recursive: true });
  await copyFile(executable, join(alone, 'postern'));
  for (const name of ['main.js', 'load.js', 'keychain.node', 'package.json', 'dist/main.js']) {
    await writeFile(join(alone, name), 'process.exit(99)');
  }
  const [used, own] = [executable, join(alone, 'postern')];
  executable = own;
  try {
    const { version } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
    assert.equal(await mustRun(home, '--version'), `${version}\n`);
    assert.match(await mustRun(home, '__complete', 'bash', 'postern logi', ''), /^login$/m);
    assert.match(await mustRun(home, 'help', 'login'), /postern login/);
    assert.match(await mustRun(home, 'help', 'stores'), /Sealed files/);
    assert.match(await mustRun(home, 'sandbox', '--misbehave', 'list'), /as-no-pkce/);
    await using running = startCommand(own, ['sandbox', '--approve'], home);
    await running.waitForStdout(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  } finally {
    executable = used;
  }
});

test('the Debian package holds the executable, its pages, completion and licences, and runs where it was unpacked', {
  skip: needs('dpkg-deb', 'man', 'bash'),
}, async () => {
  await using home = await makeHome();
  const [deb = '', again = ''] = ['one', 'two'].map((name) => {
    const out = join(folder.path, name);
    execFileSync('mkdir', ['-p', out]);
    return release('deb.mjs', executable, 'amd64', out, 'none').trim();
  });
  assert.deepEqual(await readFile(deb), await readFile(again), 'the same input makes the same bytes');
  const field = (name: string) => execFileSync('dpkg-deb', ['--field', deb, name], { encoding: 'utf8' }).trim();
  assert.deepEqual([field('Package'), field('Architecture')], ['postern', 'amd64']);
  assert.match(field('Maintainer'), /^[^<>]+ <[^<>@]+@[^<>@]+>$/);
  const listed = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' });
  for (const line of listed.trim().split('\n')) assert.match(line, /^(?:drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) root\/root /);
  const root = join(home.path, 'root');
  execFileSync('dpkg-deb', ['--extract', deb, root]);
  executable = join(root, 'usr', 'bin', 'postern');
  assert.match(await mustRun(home, '--version'), /^\d+\.\d+\.\d+/);
  const page = join(root, 'usr', 'share', 'man', 'man1', 'postern-login.1.gz');
  assert.match(
    execFileSync('man', ['-l', page], { encoding: 'utf8', env: { ...home.env, MANPAGER: 'cat' } }),
    /postern login/i,
  );
  const completion = join(root, 'usr', 'share', 'bash-completion', 'completions', 'postern');
  assert.equal(spawnSync('bash', ['-n', completion]).status, 0);
  const copyright = await readFile(join(root, 'usr', 'share', 'doc', 'postern', 'copyright'), 'utf8');
  for (const name of ['yargs', 'oauth4webapi', 'oidc-provider', '@napi-rs/keyring', 'Node.js'])
    assert.match(copyright, new RegExp(`^${name} \\d`, 'm'));
  await cp(join(root, 'usr', 'bin', 'git-credential-postern'), join(home.path, 'helper'));
  assert.match(await readFile(join(home.path, 'helper'), 'utf8'), /^exec \/usr\/bin\/postern credential git "\$@"$/m);
  assertLibraries(field('Depends'));
});

/** What the executable is linked with is in the packages that it depends on. */
function assertLibraries(depends: string): void {
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' });
  const known: Readonly<Record<string, string>> = { 'libstdc++': 'libstdc++6', libgcc_s: 'libgcc-s1' };
  const names = [...stdout.matchAll(/^\s*(lib[\w+]+)\.so/gm)].map(([, name = '']) => name);
  assert.ok(names.length > 3, stdout);
  for (const name of names) assert.ok(depends.includes(known[name] ?? 'libc6'), name);
  for (const name of names) assert.match(name, /^lib(?:c|m|dl|pthread|stdc\+\+|gcc_s)$/);
}
