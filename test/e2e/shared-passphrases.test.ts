import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RunningEngine, startEtcd, startRedis, users } from '../support/engines.js';
import { type Home, makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { programCommand, runProgram } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';

const skip = needs('redis', 'etcd', 'script');

const readers = 'correct horse battery';
const refreshers = 'staple of another horse';

async function machine(address: string, user: { readonly name: string; readonly password: string }, more = {}) {
  const bare = await makeHome({ POSTERN_STORE: address, ...more });
  const file = join(bare.path, 'engine');
  await writeFile(file, `${user.name}:${user.password}\n`, { mode: 0o600 });
  const home: Home = { ...bare, env: { ...bare.env, POSTERN_ENGINE_CREDENTIALS_FILE: file } };
  const at = async (lines: readonly (readonly [asked: RegExp, typed: string])[], ...args: string[]) => {
    await using running = await startAtTerminal(home, programCommand(args), { stdout: 'file', columns: 100 });
    for (const [asked, typed] of lines) {
      await running.screen.waitForStdout(asked);
      running.type(`${typed}\r`);
    }
    const { code } = await running.screen.finished;
    return { code, screen: running.screen.stdout, result: (await running.result()).trim() };
  };
  return { home, at, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

for (const start of [startRedis, startEtcd]) {
  const name = start === startRedis ? 'Redis' : 'etcd';
  test(
    `in ${name} one machine logs in by two passphrases, another refreshes by the same, a runner reads by one`,
    { skip },
    () => shared(start, start === startRedis ? dumpOfRedis : dumpOfEtcd),
  );
}

async function dumpOfRedis({ tool }: RunningEngine): Promise<string> {
  const names = (await tool('--raw', 'keys', '*')).split('\n').filter(Boolean).sort();
  return [...names, ...(await Promise.all(names.map((name) => tool('--raw', 'get', name))))].join('\n');
}

/** Names and values are in base64. */
async function dumpOfEtcd({ tool }: RunningEngine): Promise<string> {
  const text = await tool('get', '--prefix', '', '--write-out=json');
  return text.replace(/"([A-Za-z0-9+/=]{8,})"/g, (_, one: string) => Buffer.from(one, 'base64').toString('latin1'));
}

async function shared(start: typeof startRedis, dumpOf: (engine: RunningEngine) => Promise<string>): Promise<void> {
  await using engine = await start({ hasUsers: true });
  await using sandbox = await startSandbox({ approve: true });
  const { serverUrl } = sandbox;
  await using first = await machine(engine.address(), users.refresher);
  await using second = await machine(engine.address(), users.refresher);
  await using runner = await machine(engine.address(), users.runner, { POSTERN_STORE_READ_ONLY: '1' });

  const chosen = [
    [/New passphrase of the readers[^:]*: /, readers],
    [/readers[\s\S]*Once more: /, readers],
    [/New passphrase of the refreshers[^:]*: /, refreshers],
    [/refreshers \([\s\S]*Once more: /, refreshers],
  ] as const;
  const login = await first.at(chosen, 'login', serverUrl, '--device', '--name', 'work');
  assert.equal(login.code, 0, login.screen);
  const asked = [
    [/Passphrase of the readers of [Re][^:]*:\d+: /, readers],
    [/Passphrase of the refreshers of [Re][^:]*:\d+: /, refreshers],
  ] as const;
  const one = await first.at(asked, 'token', 'work');
  const other = await second.at(asked, 'token', 'work', '--min-ttl', '400');
  assert.deepEqual([one.code, other.code], [0, 0], other.screen);
  assert.notEqual(one.result, other.result, 'it was refreshed');
  const read = await runner.at(asked.slice(0, 1), 'token', 'work');
  assert.deepEqual([read.code, read.result], [0, other.result], read.screen);

  const before = await dumpOf(engine);
  const wrong = [asked[0], [asked[1][0], 'x'], [/not it\./, 'y'], [/not it\.[\s\S]*not it\./, 'z']] as const;
  const refused = await second.at(wrong, 'login', serverUrl, '--device', '--force');
  assert.equal(refused.code, 7, refused.screen);
  assert.match(refused.screen, /does not open\s+with this passphrase of the\s+refreshers/);
  const alone = await runProgram(second.home, ['token', 'work']);
  assert.deepEqual([alone.code, alone.stdout], [7, '']);
  assert.match(alone.stderr, /nobody at a terminal/);
  assert.equal(await dumpOf(engine), before, 'nothing was written');
  assert.match(before, /postern\/default\/access\/salts[\s\S]*postern-shared 1 passphrase /);

  const texts = { before, login: login.screen, one: one.screen, other: other.screen, refused: refused.screen };
  const folders = [first.home.path, second.home.path, runner.home.path];
  assert.deepEqual(await findSecrets({ readers, refreshers }, { folders, texts }), []);
}
