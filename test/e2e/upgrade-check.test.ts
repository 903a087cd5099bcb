import assert from 'node:assert/strict';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHttp, type TestServer } from '../support/http-server.js';
import { launcher, runProgram, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';

/** A registry that has this of `postern`; undefined: it knows no such package. */
function startRegistry(packument: object | string | undefined): Promise<TestServer> {
  return startHttp((_, response) => {
    response.statusCode = packument === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(typeof packument === 'string' ? packument : JSON.stringify(packument ?? { error: 'Not found' }));
  });
}

/** What npm keeps of a package with these tags. */
function packument(tags: Readonly<Record<string, string>>, more: object = {}) {
  const versions = Object.values(tags).map((version) => {
    const dist = { tarball: 'http://127.0.0.1:9/x.tgz', shasum: '0'.repeat(40) };
    return [version, { name: 'postern', version, dist, ...more }];
  });
  return { _id: 'postern', name: 'postern', 'dist-tags': tags, versions: Object.fromEntries(versions), ...more };
}

/** A person whose npm asks that registry. */
async function homeOf({ origin }: TestServer) {
  const home = await makeHome();
  await writeFile(join(home.path, '.npmrc'), `registry=${origin}/\n`);
  return home;
}

test('a newer release is told of by the person’s own npm, with what to type; nothing is installed', async () => {
  const engines = { node: '>=99' };
  await using registry = await startRegistry(packument({ latest: '9.8.7' }, { engines }));
  await using home = await homeOf(registry);
  const { code, stdout, stderr } = await runProgram(home, ['upgrade-check']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^postern 9\.8\.7 is out; this is \d/);
  assert.match(stdout, /\nTo have it, run: cd \S+ && git pull && npm ci && npm run build\n/); // of this checkout
  assert.match(stdout, /\nIt needs Node\.js >=99; this is \d/);
  assert.ok(
    registry.requests.every((one) => one === 'GET /postern'),
    registry.requests.join(),
  );
  const { stdout: json } = await runProgram(home, ['upgrade-check', '--json']);
  const { latest, newer, published, installedBy } = JSON.parse(json);
  assert.deepEqual([latest, newer, published, installedBy], ['9.8.7', true, true, 'clone']);
});

test('the newest release, an older one, and none at all are told apart', async () => {
  const { version } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  const rows = [
    [packument({ latest: version }), /^This is postern \S+, the newest release\.\n$/],
    [packument({ latest: '0.0.1' }), /^This is postern \S+, the newest release\.\n$/],
    [undefined, /^This is postern \S+\. npm knows no package "postern": no release was published there\.\n$/],
  ] as const;
  for (const [said, printed] of rows) {
    await using registry = await startRegistry(said);
    await using home = await homeOf(registry);
    const { code, stdout, stderr } = await runProgram(home, ['upgrade-check']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, printed);
  }
});

test('a registry that says nonsense, or that steers terminals, is told of in plain words', async () => {
  const steering = { repository: { type: 'git', url: '\u001b[2J\u202ehttps://evil.example/\u0007' } };
  await using hostile = await startRegistry(packument({ latest: '9.9.9' }, steering));
  await using home = await homeOf(hostile);
  const { code, stdout } = await runProgram(home, ['upgrade-check']);
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /[^\n\x20-\x7e’]/);
  await using registry = await startRegistry('<html>');
  await using other = await homeOf(registry);
  const failed = await runProgram(other, ['upgrade-check']);
  assert.deepEqual([failed.code, failed.stdout], [6, '']);
  assert.match(failed.stderr, /npm could not look up the releases \(\S+\)/);
});

test('where the registry is out of reach, that is said', async () => {
  await using home = await makeHome();
  await writeFile(join(home.path, '.npmrc'), 'registry=http://127.0.0.1:9/\n');
  const { code, stdout, stderr } = await runProgram(home, ['upgrade-check']);
  assert.deepEqual([code, stdout], [6, '']);
  assert.match(stderr, /npm does not reach its registry \(ECONNREFUSED\), so nobody knows of newer releases\./);
});

test('a project’s .npmrc names no registry for it, and without npm that is said', async () => {
  await using registry = await startRegistry(packument({ latest: '9.8.7' }));
  await using elsewhere = await startRegistry(packument({ latest: '99.0.0' }));
  await using home = await homeOf(registry);
  const project = join(home.path, 'project');
  await mkdir(project);
  await writeFile(join(project, '.npmrc'), `registry=${elsewhere.origin}\n`);
  await writeFile(join(project, 'package.json'), '{"name":"x"}');
  const words = [launcher, 'upgrade-check', '--field', 'latest'];
  const inProject = `cd "$1" && shift && exec "$@"`;
  await using running = startCommand('sh', ['-c', inProject, 'sh', project, process.execPath, ...words], home);
  assert.equal((await running.finished).stdout, '9.8.7\n');
  assert.deepEqual(elsewhere.requests, []);
  const without = { ...home, env: { ...home.env, PATH: join(home.path, 'project') } };
  const { code, stderr } = await runProgram(without, ['upgrade-check']);
  assert.equal(code, 2);
  assert.match(stderr, /there is no npm on the PATH/);
});

test('npm’s package of this name is not offered where it comes from another repository than this program', async () => {
  const from = (url: string) => ({ repository: { type: 'git', url } });
  await using own = await startRegistry(packument({ latest: '9.8.7' }, from('git+https://code.example/a/postern.git')));
  await using other = await startRegistry(packument({ latest: '9.8.7' }, from('https://code.example/evil/postern')));
  await using home = await homeOf(own);
  const installed = join(home.path, 'lib', 'node_modules', 'postern');
  for (const name of ['bin', 'dist']) await cp(join(repositoryRoot, name), join(installed, name), { recursive: true });
  await symlink(join(repositoryRoot, 'node_modules'), join(installed, 'node_modules'));
  const described = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  const packed = { ...described, ...from('https://code.example/a/postern') };
  await writeFile(join(installed, 'package.json'), JSON.stringify(packed));
  const run = async () => {
    const words = [join(installed, 'bin', 'postern.js'), 'upgrade-check'];
    await using running = startCommand(process.execPath, words, home);
    return (await running.finished).stdout;
  };
  assert.match(
    await run(),
    /^postern 9\.8\.7 is out; this is \S+\.\nTo have it, run: npm install -g postern@9\.8\.7\n$/,
  );
  await writeFile(join(home.path, '.npmrc'), `registry=${other.origin}/\n`);
  assert.match(
    await run(),
    /^This is postern \S+\. npm’s package "postern" is from "\S+evil\/postern\S*": it is not this program, so do not install it\.\n$/,
  );
});
