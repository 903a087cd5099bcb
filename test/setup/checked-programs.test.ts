import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seeded, seed, token, work } from '../credential/seeded.js';
import { startHttp } from '../support/http-server.js';
import { needs, unlessAbsent } from '../support/needs.js';
import { newerPrograms } from '../support/newer-programs.js';
import { programCommand, runProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { runWithUserBus } from './user-bus.js';

const skip = needs('gnome-keyring', 'dbus');
const paths = `${process.env['PATH']}:${newerPrograms.folder}`;
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

/** A program of that name on the PATH that says a version; git goes on reading configuration. */
function older(name: string, says: string): Readonly<Record<string, string>> {
  const folder = at('older');
  mkdirSync(folder, { recursive: true });
  const real = `PATH='${paths}'; case "$1" in config | env | help) exec ${name} "$@" ;; esac`;
  writeFileSync(join(folder, name), `#!/bin/sh\n${real}\necho '${says}'\n`);
  chmodSync(join(folder, name), 0o700);
  return { PATH: `${folder}:${paths}` };
}

test('git before 2.46 at a server that takes Bearer tokens alone, and go before 1.24, are told and fail --check', {
  skip: skip || needs('git') || unlessAbsent('go 1.24'),
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
  assert.equal((await setup(['go', 'work', '--write'], { PATH: paths })).code, 0);
  const go = await setup(['go', 'work', '--check'], older('go', 'go version go1.22.2 linux/amd64'));
  assert.equal(go.code, 2);
  assert.match(go.stdout, /Not used: go 1\.22 asks no program for a credential/);
  const goNow = await setup(['go', 'work', '--check'], older('go', 'go version go1.26.1 linux/amd64'));
  assert.equal(goNow.code, 0, goNow.stdout);
  await setup(['go', '--undo'], { PATH: paths });
  rmSync(at('older'), { recursive: true });
});

test('Codex in a shell with a session bus of its own: --store file is what helps, and is said', { skip }, async () => {
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
  const inFolder = (...words: string[]) => runProgram({ ...(world as Seeded).home, path: folder }, ['setup', ...words]);
  assert.equal((await setup(['kiro', 'work', '--write'])).code, 0);
  for (const [scope, gone] of [
    ['project', join(folder, '.kiro')],
    ['user', at('.kiro')],
  ] as const) {
    assert.equal((await inFolder('kiro', 'work', '--project', '--write')).code, 0);
    const which = await inFolder('kiro', 'work', '--undo');
    assert.equal(which.code, 2);
    assert.match(
      which.stderr,
      /several entries there: [^\n]*--(?:user|project) \([^)]+mcp\.json\)[^\n]*\n?[^\n]*--undo/,
    );
    const undone = await inFolder('kiro', 'work', '--undo', `--${scope}`);
    assert.equal(undone.code, 0, undone.stderr);
    assert.equal(existsSync(gone), false);
  }
  assert.equal((await inFolder('kiro', '--undo')).code, 0);
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
