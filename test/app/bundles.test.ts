import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin, SourceMap } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';
import { storeLogin } from '../support/stored-login.js';

const dist = join(repositoryRoot, 'dist');
const { engine } = createRequire(import.meta.url)(join(repositoryRoot, 'bin', 'load.js')) as { engine(): string };

async function bundle(name: string) {
  const source = await readFile(join(dist, `${name}.cjs`), 'latin1');
  const [, cache = ''] = /\n\/\/# cache: (\S+)\n$/.exec(source) ?? [];
  const file = `${cache}.${engine()}.cache`;
  return { source, cache, file, cached: await readFile(join(dist, file)) };
}

const isTaken = (source: string, cachedData: Buffer) => new Script(source, { cachedData }).cachedDataRejected === false;

/** Those that the program is divided into: `main` loads the others. */
const divided = ['main', 'failures', 'usual', 'rare'];

for (const name of ['hot-path', ...divided, 'http-client']) {
  test(`${name} has its own code beside it, compiled by this very version of V8`, async () => {
    const { source, cache, cached } = await bundle(name);
    const digest = createHash('sha256').update(source.slice(0, source.lastIndexOf('\n//# cache:') + 1), 'latin1');
    assert.equal(cache, `${name}.${digest.digest('hex').slice(0, 12)}`);
    // src/http sets a flag of V8 before it loads this one: a run, below, shows that it is taken then.
    if (name !== 'http-client') assert.equal(isTaken(source, cached), true);
  });
}

test('no module is in two bundles: a class that exists twice is not the same class', async () => {
  const sources = await Promise.all(divided.map(async (name) => (await bundle(name)).source));
  const namesIn = (source: string) => [...source.matchAll(/^\/\/ (build\/src\/\S+)$/gm)].map(([, path]) => path);
  const modules = sources.flatMap((source) => [...new Set(namesIn(source))]);
  assert.ok(modules.length > 400, String(modules.length));
  assert.deepEqual(
    modules.filter((path, at) => modules.indexOf(path) !== at),
    [],
  );
});

test('what signs proofs (DPoP) is in none of what a Bearer login loads', async () => {
  for (const name of ['hot-path', 'main']) {
    const { source } = await bundle(name);
    assert.ok(!/dpop\+jwt|src\/(?:oauth|tokens)\/dpop\/(?:request|token|login)-proofs/.test(source), name);
  }
  assert.match((await bundle('usual')).source, /dpop\+jwt/);
});

test('a request and a refresh load what they need and no more, and V8 takes all that was compiled of it', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await makeHome();
  const preload = join(home.path, 'loaded.cjs');
  await writeFile(
    preload,
    `const vm = require('node:vm');
    const { Script } = vm;
    vm.Script = class extends Script {
      constructor(source, options) {
        super(source, options);
        process._rawDebug('loaded ' + options.filename + (this.cachedDataRejected ? ' without its cache' : ''));
      }
    };
    process.once('exit', () => {
      const own = process.moduleLoadList.filter((name) => /deps\\/undici/.test(name));
      for (const name of own) process._rawDebug('loaded ' + name);
    });`,
  );
  const key = join(home.path, 'key');
  await writeFile(key, randomBytes(32), { mode: 0o600 });
  const env = { ...home.env, POSTERN_STORE: 'file', POSTERN_STORE_KEY_FILE: key };
  const run = async (...words: readonly string[]) => {
    const command = ['-r', preload, join(repositoryRoot, 'bin', 'postern.js'), ...words];
    await using running = startCommand(process.execPath, command, { ...home, env });
    running.stdin.end();
    const { code, stderr } = await running.finished;
    assert.equal(code, 0, stderr);
    return [...stderr.matchAll(/^loaded (.+)$/gm)].map(([, name]) => name);
  };
  const { serverUrl } = sandbox;
  assert.equal((await run('login', serverUrl, '--device', '--name', 'work')).includes('dist/rare.cjs'), true);
  const needed = ['dist/main.cjs', 'dist/http-client.cjs'];
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  assert.deepEqual(await run('request', serverUrl, '-H', 'content-type: application/json', '-d', ping), needed);
  const refresh = ['dist/hot-path.cjs', 'dist/main.cjs', 'dist/package-oauth4webapi.cjs', 'dist/http-client.cjs'];
  assert.deepEqual(await run('token', 'work', '--refresh'), refresh);
  const called = ['dist/main.cjs', 'dist/package-yargs.cjs', 'dist/usual.cjs', 'dist/http-client.cjs'];
  assert.deepEqual(await run('call', 'work', 'whoami'), called);
});

test('a program whose files were replaced while it ran says so, and mixes no versions', async () => {
  await using home = await makeHome();
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(repositoryRoot, name), join(home.path, name), { recursive: true });
  }
  const rare = join(home.path, 'dist', 'rare.cjs');
  const source = await readFile(rare, 'latin1');
  assert.match(source, /^var id\d* = "[0-9a-f]{12}"/m);
  await writeFile(rare, source.replace(/^(var id\d* = ")[0-9a-f]{12}"/m, '$1of-another-build"'), 'latin1');
  const command = [join(home.path, 'bin', 'postern.js'), 'setup', '--list', '--verbose'];
  const { stderr, status } = spawnSync(process.execPath, command, { env: home.env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /replaced/);
});

test('what is shipped can be read: the lines are our own, and a source map leads to ours', async () => {
  for (const name of ['hot-path', 'main']) {
    const { source } = await bundle(name);
    const lines = source.split('\n');
    assert.ok(lines.length > 1000 && Math.max(...lines.map(({ length }) => length)) < 2000, name);
    const at = lines.findIndex((line) => line.includes(' Failure = class '));
    const map = new SourceMap(JSON.parse(await readFile(join(dist, `${name}.cjs.map`), 'utf8')));
    const { originalSource = '', originalLine = 0 } = map.findEntry(at, lines[at]?.indexOf('class') ?? 0) as {
      originalSource?: string;
      originalLine?: number;
    };
    assert.match(originalSource, /\/src\/core\/failure\.ts$/);
    const original = await readFile(join(dist, originalSource), 'utf8');
    assert.match(original.split('\n')[originalLine] ?? '', /class Failure /);
  }
});

test('what parses a command line reads no file of the folder that the person is in', async () => {
  await using home = await makeHome();
  const preload = join(home.path, 'opened.cjs');
  const script = `
    const fs = require('node:fs');
    const opened = [];
    for (const name of ['readFileSync', 'openSync', 'readdirSync', 'statSync', 'existsSync']) {
      const own = fs[name];
      fs[name] = (path, ...more) => (opened.push(String(path)), own(path, ...more));
    }
    process.on('exit', () => process.stdout.write(JSON.stringify(opened) + '\\n'));`;
  await writeFile(preload, script);
  const folder = join(home.path, 'a-project');
  await mkdir(folder);
  for (const words of [
    ['status', '--json'],
    ['call', 'x', '--nope'],
  ]) {
    const command = ['-r', preload, join(repositoryRoot, 'bin', 'postern.js'), ...words];
    const { stdout } = spawnSync(process.execPath, command, { env: home.env, encoding: 'utf8', cwd: folder });
    const opened: string[] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    assert.ok(opened.length > 3, stdout);
    const inside = opened.filter((path) => path === folder || path.startsWith(`${folder}/`) || !path.startsWith('/'));
    assert.deepEqual(inside, []);
  }
});

test('a stack trace of the bundle names lines of our TypeScript', () => {
  const script = `
    const { run } = require(${JSON.stringify(join(repositoryRoot, 'bin', 'load.js'))}).load('main');
    const { stderr: stdout, stderr } = process;
    const broken = { get clientMetadataUrl() { throw new TypeError('broken'); } };
    const interruption = new AbortController();
    run(['status', '--verbose'], Object.assign(broken, { env: {}, stdout, stderr, platform: 'linux', interruption, own: {} }));`;
  const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  assert.match(stderr, /a fault of postern itself \(TypeError\)/);
  assert.match(stderr, /at \S+ \(src\/[a-z-]+(?:\/[a-z-]+)*\.ts:\d+:\d+\)/);
  assert.doesNotMatch(stderr, /(?:main|usual)\.cjs|evalmachine/);
});

test('compiled code of another version of V8 is passed over, one that is gone is not missed, and the program goes on', {
  skip: needs('gnome-keyring', 'dbus'),
}, async () => {
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  const expiresAt = Date.now() + 3_600_000;
  await storeLogin(home, { server: 'https://a.example/mcp', name: 'work', accessToken: 'token-1', expiresAt });
  await cp(join(repositoryRoot, 'bin'), join(home.path, 'bin'), { recursive: true });
  await cp(join(repositoryRoot, 'package.json'), join(home.path, 'package.json'));
  await mkdir(join(home.path, 'dist'));
  const run = (words: readonly string[]) => {
    const command = [join(home.path, 'bin', 'postern.js'), ...words];
    const { stdout, stderr } = spawnSync(process.execPath, command, { env: home.env, encoding: 'utf8' });
    return [stdout, stderr];
  };
  const copy = async (name: string, spoil: boolean) => {
    const { source, file, cached } = await bundle(name);
    await writeFile(join(home.path, 'dist', `${name}.cjs`), source, 'latin1');
    if (!spoil) return;
    cached.fill(0x5a, 4, 8); // V8's hash of its version
    assert.equal(isTaken(source, cached), false);
    await writeFile(join(home.path, 'dist', file), cached);
  };
  for (const spoil of [true, false]) {
    await rm(join(home.path, 'dist'), { recursive: true });
    await mkdir(join(home.path, 'dist'));
    await copy('hot-path', spoil); // and there is no other program beside it yet that could answer
    assert.deepEqual(run(['token', 'work']), ['token-1\n', '']);
    assert.deepEqual(run(['credential', 'token', 'work']), ['token-1\n', '']);
    for (const name of [...divided, 'package-yargs']) await copy(name, spoil);
    assert.match(run(['status']).join(), /a\.example/);
  }
});

test('what is shipped is the packages of package.json: all are in the bundles but the keychain’s, which is installed', async () => {
  const { dependencies } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  const bundled: { name: string }[] = JSON.parse(await readFile(join(repositoryRoot, 'build', 'bundled.json'), 'utf8'));
  const installed = Object.keys(dependencies).filter((name) => !bundled.some((one) => one.name === name));
  assert.deepEqual(installed, ['keytar']);
  const files = (await readdir(dist)).filter((name) => /\.c?js$/.test(name));
  for (const name of files) {
    const source = await readFile(join(dist, name), 'utf8');
    const asked = source.matchAll(name.endsWith('.cjs') ? /\brequire\("([^"]+)"\)/g : /^import .*"([^"]+)";$/gm);
    const packages = [...asked].map(([, path = '']) => path).filter((path) => !/^(?:node:|\.)/.test(path));
    const missing = packages.filter((path) => !isBuiltin(path) && !installed.includes(packageOf(path)));
    assert.deepEqual([...new Set(missing)], [], name);
  }
  const licenses = await readFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const { name } of bundled) assert.match(licenses, new RegExp(`^${name} \\d`, 'm'));
});

const packageOf = (path: string) => path.split('/', path.startsWith('@') ? 2 : 1).join('/');

test('the sandbox runs as it is shipped, without any package beside it', async () => {
  await using home = await makeHome();
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(repositoryRoot, name), join(home.path, name), { recursive: true });
  }
  const program = join(home.path, 'bin', 'postern.js');
  await using running = startCommand(
    process.execPath,
    [program, 'sandbox', '--approve', '--state', join(home.path, 'kept')],
    home,
  );
  await running.waitForStdout(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const listed = spawnSync(process.execPath, [program, 'sandbox', '--misbehave', 'list'], { env: home.env });
  assert.match(listed.stdout.toString(), /as-no-pkce/);
});
