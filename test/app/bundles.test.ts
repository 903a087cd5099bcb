import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { isBuiltin, SourceMap } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';

const dist = join(repositoryRoot, 'dist');
const scripts = (await readdir(dist)).filter((name) => name.endsWith('.js'));

/** Our modules in each file of dist. */
const modulesOf = new Map(await Promise.all(scripts.map(async (name) => [name, await modulesIn(name)] as const)));

async function modulesIn(name: string): Promise<readonly string[]> {
  const { sources }: { sources: readonly string[] } = JSON.parse(await readFile(join(dist, `${name}.map`), 'utf8'));
  return sources.flatMap((source) => /^\.\.\/(src\/.*|node_modules\/.*)$/.exec(source)?.[1] ?? []);
}

test('no module of the program is in two files: a class that exists twice is not the same class', () => {
  const alone = ['hot-path.js', 'keychain-child.js'];
  const modules = scripts.filter((name) => !alone.includes(name)).flatMap((name) => modulesOf.get(name) ?? []);
  assert.ok(modules.length > 400, String(modules.length));
  assert.deepEqual(
    modules.filter((path, at) => modules.indexOf(path) !== at),
    [],
  );
});

test('a command loads its own code, and no package that it does not need', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await makeHome();
  const preload = join(home.path, 'loaded.cjs');
  const script = `process.once('exit', () => process._rawDebug('loaded ' + Object.keys(require.cache).join(' ')))`;
  await writeFile(preload, script);
  const key = join(home.path, 'key');
  await writeFile(key, randomBytes(32), { mode: 0o600 });
  const env = { ...home.env, POSTERN_STORE: 'file', POSTERN_STORE_KEY_FILE: key };
  const run = async (...words: readonly string[]) => {
    const command = ['-r', preload, join(repositoryRoot, 'bin', 'postern.js'), ...words];
    await using running = startCommand(process.execPath, command, { ...home, env });
    running.stdin.end();
    const { code, stderr } = await running.finished;
    assert.equal(code, 0, stderr);
    const files = /^loaded (.+)$/m.exec(stderr)?.[1]?.split(' ') ?? [];
    return files.flatMap((file) => modulesOf.get(file.slice(dist.length + 1)) ?? []);
  };
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const { serverUrl } = sandbox;
  await run('login', serverUrl, '--device', '--name', 'work');
  const needed: readonly (readonly [words: readonly string[], packages: readonly string[]])[] = [
    [['--help'], []],
    [['status'], []],
    [
      ['token', 'work', '--refresh'],
      ['oauth4webapi', 'undici'],
    ],
    [['request', serverUrl, '-H', 'content-type: application/json', '-d', ping], ['undici']],
    [['call', 'work', 'whoami'], []],
  ];
  const rare =
    /^src\/(?:bridge|doctor|fleet|proxy|sandbox|setup)\/(?!(?:run\/)?\w+\.options|failures|machine\/own-program|host-pipe|relay-wire)/;
  const heavy = /^node_modules\/(?:@redis|jose|oauth4webapi|oidc-provider|open|ora|tldts|undici|yaml|yargs)\b/;
  for (const [words, packages] of needed) {
    const modules = await run(...words);
    const loaded = modules.flatMap((path) => heavy.exec(path)?.[0].slice('node_modules/'.length) ?? []);
    assert.deepEqual([...new Set(loaded)].sort(), packages, words.join(' '));
    assert.deepEqual(
      modules.filter((path) => rare.test(path)),
      [],
      words.join(' '),
    );
  }
});

test('what is shipped can be read: the lines are our own, and a source map leads to ours', async () => {
  for (const name of scripts.filter((name) => modulesOf.get(name)?.includes('src/core/failure.ts'))) {
    const source = await readFile(join(dist, name), 'utf8');
    const lines = source.split('\n');
    assert.ok(source.length / lines.length < 60, name);
    const at = lines.findIndex((line) => / Failure = class /.test(line));
    const map = new SourceMap(JSON.parse(await readFile(join(dist, `${name}.map`), 'utf8')));
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

/** The program, installed below the home as its user's own, with nothing compiled yet. */
async function install(home: Home): Promise<string> {
  for (const name of ['bin', 'dist', 'package.json']) {
    const filter = (path: string) => !path.endsWith('compiled');
    await cp(join(repositoryRoot, name), join(home.path, name), { recursive: true, filter });
  }
  await symlink(join(repositoryRoot, 'node_modules'), join(home.path, 'node_modules'));
  return join(home.path, 'dist', 'compiled');
}

function version(home: Home, env: NodeJS.ProcessEnv = {}): string {
  const command = [join(home.path, 'bin', 'postern.js'), '--version'];
  const { stdout, stderr } = spawnSync(process.execPath, command, { env: { ...home.env, ...env }, encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout;
}

test('what is compiled at the first run is kept for the next one, in a folder that is closed to others', async () => {
  await using home = await makeHome();
  const compiled = await install(home);
  const first = version(home);
  const kept = (await readdir(compiled, { recursive: true })).length;
  assert.ok(kept > 0);
  assert.equal((await stat(compiled)).mode & 0o777, 0o700);
  assert.equal(version(home), first);
  assert.equal((await readdir(compiled, { recursive: true })).length, kept);
  for (const name of await readdir(compiled)) {
    const file = join(compiled, name);
    if (!(await stat(file)).isFile()) continue; // Node.js 22 looks after its own
    await truncate(file, 100);
  }
  assert.equal(version(home), first, 'what is cut is passed over');
});

test('nothing is taken out of a folder that others can write to, and nothing kept with flags of V8', async () => {
  await using home = await makeHome();
  const compiled = await install(home);
  const first = version(home, { NODE_OPTIONS: '--max-old-space-size=300' });
  await assert.rejects(stat(compiled), { code: 'ENOENT' });
  await mkdir(compiled, { mode: 0o700 });
  await chmod(compiled, 0o770);
  assert.equal(version(home), first);
  assert.deepEqual(await readdir(compiled), []);
});

test('what is shipped is the packages of package.json: all are in the bundles but the keychain’s, which is installed', async () => {
  const { dependencies } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  const bundled: { name: string }[] = JSON.parse(await readFile(join(repositoryRoot, 'build', 'bundled.json'), 'utf8'));
  const installed = Object.keys(dependencies).filter((name) => !bundled.some((one) => one.name === name));
  assert.deepEqual(installed, ['keytar']);
  const optional = ['@node-rs/xxhash', '@opentelemetry/api']; // which Redis' client does without
  for (const name of scripts) {
    const asked = (await readFile(join(dist, name), 'utf8')).matchAll(/(?<!['"`])\brequire\("([^"]+)"\)/g);
    const packages = [...asked].map(([, path = '']) => path).filter((path) => !/^(?:node:|\.)/.test(path));
    const missing = packages.filter(
      (path) => !isBuiltin(path) && ![...installed, ...optional].includes(packageOf(path)),
    );
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
