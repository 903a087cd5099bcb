import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openStage, type Stage } from '../e2e/stage.js';
import { logIn } from '../endurance/expiry.js';
import { needs, needsPackages } from '../support/needs.js';
import { type Finished, launcher, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';

const folder = join(repositoryRoot, 'test', 'clients');
const packages = join(folder, 'node_modules');
const isMissing = needsPackages('clients');
const skip = isMissing || needs('gnome-keyring', 'secret-tool');
let stage: Stage | undefined;

/** The sandbox, logged in to once. */
function theStage(): Stage {
  assert.ok(stage !== undefined);
  return stage;
}

async function node(...args: readonly string[]): Promise<Finished> {
  await using program = startCommand(process.execPath, args, theStage().home);
  program.stdin.end();
  return await program.finished;
}

/** What these programs do not pass on by themselves: where the state of this home is, and its keychain. */
function variables(option: string): readonly string[] {
  const { env } = theStage().home;
  return ['XDG_STATE_HOME', 'DBUS_SESSION_BUS_ADDRESS'].flatMap((name) => [option, `${name}=${env[name]}`]);
}

function bridgeCommand(): readonly string[] {
  return [process.execPath, launcher, 'bridge', theStage().sandbox.serverUrl, '--non-interactive'];
}

describe('real programs through postern bridge', { skip }, () => {
  before(async () => {
    stage = await openStage();
    await logIn(stage);
  });
  after(() => stage?.[Symbol.asyncDispose]());

  const sdks = [
    ['the official SDK’s client, version 1', 'sdk-v1.mjs', [], undefined],
    ['the official SDK’s client, version 2, on the wire with sessions', 'sdk-v2.mjs', ['legacy'], '2025-11-25'],
    ['the official SDK’s client, version 2, on the newest wire', 'sdk-v2.mjs', ['auto'], '2026-07-28'],
  ] as const;
  for (const [title, script, words, revision] of sdks) {
    test(`${title}: tools, progress, elicitation, resources`, async () => {
      const { code, stdout, stderr } = await node(join(folder, script), ...words, ...bridgeCommand());
      assert.equal(code, 0, stderr);
      const saw = JSON.parse(stdout);
      assert.ok(saw.tools.includes('whoami'), stdout);
      assert.deepEqual(saw.echo.content, [{ type: 'text', text: 'grüße\ngrüße' }]);
      // Steps that come close to the answer, as all do on a busy machine, are no longer told by these clients.
      assert.deepEqual(saw.came, [1, 2, 3]);
      assert.deepEqual(saw.steps, [1, 2, 3].slice(0, saw.steps.length));
      assert.deepEqual(saw.confirm.content, [{ type: 'text', text: 'Confirmed.' }]);
      if (revision !== undefined) assert.equal(saw.revision, revision);
    });
  }

  for (const eras of ['newer', 'older'] as const) {
    test(`[Q-1.11] the official SDK’s clients at a server of the ${eras} era alone`, async () => {
      await using only = await openStage({ eras });
      await logIn(only);
      const bridge = [process.execPath, launcher, 'bridge', only.sandbox.serverUrl, '--non-interactive'];
      for (const [, script, words, revision] of sdks) {
        await using program = startCommand(process.execPath, [join(folder, script), ...words, ...bridge], only.home);
        program.stdin.end();
        const { code, stdout, stderr } = await program.finished;
        assert.equal(code, 0, stderr);
        const saw = JSON.parse(stdout);
        assert.deepEqual(saw.echo.content, [{ type: 'text', text: 'grüße\ngrüße' }]);
        assert.deepEqual([saw.came, saw.resources > 0], [[1, 2, 3], true]);
        assert.deepEqual(saw.confirm.content, [{ type: 'text', text: 'Confirmed.' }]);
        if (revision !== undefined) assert.equal(saw.revision, eras === 'older' ? '2025-11-25' : revision);
      }
    });
  }

  test('MCP Inspector’s command line', async () => {
    const inspector = join(packages, '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
    const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello'];
    const { code, stdout, stderr } = await node(inspector, '--cli', ...bridgeCommand(), ...variables('-e'), ...call);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"text": "hello"/);
  });

  test('mcporter', async () => {
    const [command = '', ...args] = bridgeCommand();
    const own = [...args.flatMap((arg) => ['--stdio-arg', arg]), ...variables('--env')];
    const mcporter = join(packages, 'mcporter', 'dist', 'cli.js');
    const call = [
      'call',
      '--stdio',
      command,
      ...own,
      '--name',
      'sandbox',
      '--output',
      'json',
      '--tool',
      'echo',
      '--args',
      '{"text":"hello"}',
    ];
    const { code, stdout, stderr } = await node(mcporter, ...call);
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /hello/);
  });
});
