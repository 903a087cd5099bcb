import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAuthority } from '../support/certificates.js';
import { needs } from '../support/needs.js';
import { newerPrograms } from '../support/newer-programs.js';
import { runProgram } from '../support/program.js';
import { type Stage, stage, token } from './stage.js';

// What only newer programs can do than Debian 12 has; .ci/newer-programs installs them.

const bearer = `Bearer ${token}`;

function sentBelow(world: Stage, path: string): readonly string[] {
  const seen = world.server.seen.filter(({ url }) => url.startsWith(path));
  return [...new Set(seen.map(({ headers }) => headers.authorization ?? 'none'))];
}

test('git 2.46 and later sends the token as a Bearer token, below the path of the login only, and lets nobody keep it', {
  skip: needs('git 2.46', 'gnome-keyring'),
}, async () => {
  await using world = await stage();
  writeFileSync(join(world.home.path, '.gitconfig'), '[credential]\n\thelper = store # everything\n');
  assert.equal((await world.setup('git', 'work', '--write')).code, 0);
  const git = (path: string) => world.start(newerPrograms.git, ['ls-remote', `${world.server.origin}${path}`]);
  const listed = await git('/mcp/repo.git');
  assert.deepEqual([listed.code, listed.stderr], [0, '']);
  assert.equal(listed.stdout, `${'1'.repeat(40)}\trefs/heads/main\n`);
  assert.deepEqual(sentBelow(world, '/mcp/repo.git'), ['none', bearer]);
  assert.notEqual((await git('/mcpx/repo.git')).code, 0);
  assert.notEqual((await git('/elsewhere/repo.git')).code, 0);
  assert.deepEqual([sentBelow(world, '/mcpx'), sentBelow(world, '/elsewhere')], [['none'], ['none']]);
  assert.equal(existsSync(join(world.home.path, '.git-credentials')), false);
});

test('go 1.24 and later gets its modules with the token, below the path of the login only', {
  skip: needs('go 1.24', 'gnome-keyring', 'openssl'),
}, async () => {
  await using authority = await startAuthority();
  await using world = await stage(await authority.issue('IP:127.0.0.1')); // it sends nothing over plain http
  const PATH = `${newerPrograms.folder}:${world.home.env['PATH'] ?? process.env['PATH']}`; // `go env -w` is run
  const home = { ...world.home, env: { ...world.home.env, PATH } };
  const written = await runProgram(home, ['setup', 'go', 'work', '--write']);
  assert.equal(written.code, 0, written.stderr);
  const versions = (path: string) =>
    world.start('env', [
      `SSL_CERT_FILE=${authority.caFile}`,
      `GOPROXY=${world.server.origin}${path}`,
      'GOSUMDB=off',
      'GOTOOLCHAIN=local',
      'GOFLAGS=-modcacherw',
      newerPrograms.go,
      ...['list', '-m', '-versions', 'a.example/mod@latest'],
    ]);
  const listed = await versions('/mcp/modules');
  assert.deepEqual([listed.code, listed.stdout], [0, 'a.example/mod v1.0.0\n'], listed.stderr);
  // go 1.24 finds no header by the beginning of an address, so it asks a second time for each.
  assert.deepEqual(sentBelow(world, '/mcp/modules'), ['none', bearer]);
  assert.notEqual((await versions('/mcpx/modules')).code, 0);
  assert.notEqual((await versions('/elsewhere')).code, 0);
  assert.deepEqual([sentBelow(world, '/mcpx'), sentBelow(world, '/elsewhere')], [['none'], ['none']]);
});
