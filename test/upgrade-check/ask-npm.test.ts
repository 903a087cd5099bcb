import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProgramCommand, ProgramEnd } from '../../src/stores/run-program.js';
import { askNpm, type NpmWorld, npmCommand } from '../../src/upgrade-check/ask-npm.js';

const own = { name: 'postern', version: '1.0.0' };

function machine(end: ProgramEnd, asked: ProgramCommand[] = []): NpmWorld {
  return {
    platform: 'linux',
    homedir: '/home/a',
    env: { PATH: '/usr/bin', POSTERN_CLIENT_SECRET: 'word', postern_token: 'word' },
    find: (command) => `/usr/bin/${command}`,
    run: async (command) => {
      asked.push(command);
      return end;
    },
    fileExists: () => false,
  };
}

const ended = (code: number | null, stdout: string, stderr = ''): ProgramEnd => ({
  ...{ kind: 'ended', code, stdout, stderr },
  killedBy: code === null ? 'SIGKILL' : null,
});

const ask = (end: ProgramEnd, asked?: ProgramCommand[]) => askNpm(machine(end, asked), own, AbortSignal.timeout(5000));

test('npm is started without a shell, in the home folder, with a limit, and without our own variables', async () => {
  const asked: ProgramCommand[] = [];
  const view = '{"name":"postern","dist-tags":{"latest":"1.2.3"}}';
  assert.equal((await ask(ended(0, view), asked))?.version, '1.2.3');
  const [{ command, env, folder, limitMs } = assert.fail()] = asked;
  assert.deepEqual(command.slice(0, 3), ['/usr/bin/npm', 'view', 'postern']);
  assert.deepEqual([env, folder], [{ PATH: '/usr/bin' }, '/home/a']);
  assert.ok(limitMs !== undefined && limitMs <= 60_000);
});

test('each end of npm has words of its own', async () => {
  const notStarted = Object.assign(new Error('x'), { code: 'EACCES' });
  const ends: readonly (readonly [ProgramEnd, code: string, exit: number, message: RegExp])[] = [
    [{ kind: 'timeout' }, 'npm_failed', 6, /within 30 s/],
    [{ kind: 'too_much' }, 'npm_unusable', 5, /no list of releases/],
    [{ kind: 'not_started', error: notStarted }, 'npm_failed', 6, /EACCES/],
    [ended(1, '{"error":{"code":"ENOTFOUND"}}'), 'npm_failed', 6, /does not reach its registry \(ENOTFOUND\)/],
    [ended(1, '{"error":{"code":"E401"}}'), 'npm_failed', 6, /could not look up the releases \(E401\)/],
    [ended(7, 'what'), 'npm_failed', 6, /exit code 7/],
    [ended(null, ''), 'npm_failed', 6, /killed by SIGKILL/],
    [ended(0, 'what'), 'npm_unusable', 5, /no list of releases/],
    [ended(0, ''), 'npm_unusable', 5, /no list of releases/],
  ];
  for (const [end, code, exit, message] of ends) await assert.rejects(ask(end), { code, exit, message });
  assert.equal(await ask(ended(1, '{"error":{"code":"E404"}}')), undefined);
});

test('no npm at all is said', async () => {
  const world = { ...machine(ended(0, '')), find: () => undefined };
  await assert.rejects(askNpm(world, own, AbortSignal.timeout(5000)), { code: 'npm_not_found', exit: 2 });
});

test('on Windows the script of npm is started by node.exe, since only a shell could start npm.cmd', () => {
  const folder = 'C:\\Program Files\\nodejs';
  const script = `${folder}\\node_modules\\npm\\bin\\npm-cli.js`;
  const on = (there: readonly string[], node?: string) =>
    npmCommand({
      platform: 'win32',
      find: (command) => (command === 'npm' ? `${folder}\\npm.cmd` : node),
      fileExists: (path) => there.includes(path),
    });
  assert.deepEqual(on([script, `${folder}\\node.exe`]), [`${folder}\\node.exe`, script]);
  assert.deepEqual(on([script], 'D:\\node\\node.exe'), ['D:\\node\\node.exe', script]);
  assert.equal(on([script], 'D:\\node\\node.cmd'), undefined);
  assert.equal(on([script]), undefined);
  assert.equal(on([`${folder}\\node.exe`]), undefined);
});
