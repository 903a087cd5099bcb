import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBuiltBridge } from '../bridge/built-bridge.js';
import { needs } from '../support/needs.js';
import type { SandboxClient } from '../support/product.js';
import { runProgram } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');
const clients: readonly SandboxClient[] = [{ client_id: 'job', workload: 'repo:acme/app', redirect_uris: [] }];
const asJob = ['--client-credentials', '--client-id', 'job'];

async function tokenOf({ sandbox }: Stage): Promise<string> {
  return (await (await fetch(`${sandbox.issuer}/workload/token`)).text()).trim();
}

/** The platform's tokens that the authorization server was sent. */
const sentTo = ({ sandbox }: Stage) => sandbox.requests.flatMap(({ params }) => new Map(params).get('assertion') ?? []);

/** Longer than a token of 3 s lives, which is long enough for a `call` on a busy machine. */
const threeSeconds = () => new Promise((resolve) => setTimeout(resolve, 3200));
/** Until a token of one second has ended. */
const aSecond = () => new Promise((resolve) => setTimeout(resolve, 1100));

/** Prints a token of the platform, and writes another one to stderr. */
const printer = ({ sandbox }: Stage, secret: string) =>
  JSON.stringify([
    process.execPath,
    '-e',
    `fetch(process.argv[1]).then((r) => r.text()).then((t) => { console.error(t); console.log(t); })`,
    `${sandbox.issuer}/workload/token`,
    secret,
  ]);

test('a command’s tokens: login, call, token, exec and bridge renew by it; the list of its words and the tokens are nowhere', {
  skip,
}, async () => {
  await using stage = await openStage({ clients, accessTokenSeconds: 3 });
  const { serverUrl } = stage.sandbox;
  const secret = 'canary-of-an-argument-0123456789';
  const command = printer(stage, secret);
  const login = await stage.run('login', serverUrl, '--name', 'job', '-v', ...asJob, '--assertion-command', command);
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stdout, /by the platform’s token from the command \S+node/);
  const first = await stage.token('job');
  await threeSeconds();
  const who = await stage.run('call', 'job', 'whoami', '--verbose');
  assert.match(who.stdout, /job/, who.stderr);
  await threeSeconds();
  assert.notEqual(await stage.token('job'), first);
  await threeSeconds();
  const exec = await stage.run('exec', 'job', '--min-ttl', '0', '--', 'sh', '-c', 'test -n "$POSTERN_ACCESS_TOKEN"');
  assert.equal(exec.code, 0, exec.stderr);
  await threeSeconds();
  const ask = () => stage.run('credential', 'headers', serverUrl);
  let helper = await ask();
  while (/deadline_passed/.test(helper.stderr)) helper = await ask(); // on a busy machine; the refresh goes on meanwhile
  assert.equal(helper.code, 0, helper.stderr);
  await threeSeconds();
  await using bridge = startBuiltBridge(stage.home, 'job');
  const clientInfo = { name: 'host', version: '1.0.0' };
  bridge.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  assert.equal((await bridge.next()).error, undefined);
  const status = await stage.run('status', '--json');
  assert.match(status.stdout, /"assertion":\s*\{\s*"from":\s*"command"/);
  const sent = sentTo(stage);
  assert.ok(sent.length >= 5 && new Set(sent).size === sent.length, 'each was read anew');
  const tokens = Object.fromEntries(sent.map((token, at) => [`token ${at}`, token]));
  const printed = Object.fromEntries(
    Object.entries(stage.printed).map(([line, text]) => [line.replaceAll(command, '…').slice(0, 40), text]),
  );
  const found = await findSecrets({ ...tokens, argument: secret }, { folders: [stage.home.path], texts: printed });
  assert.deepEqual(found, []);
});

test('CI in one line: a variable, nothing kept, and nobody who is started has it; a file by POSTERN_ASSERTION_FILE', {
  skip,
}, async () => {
  await using stage = await openStage({ clients });
  const { serverUrl } = stage.sandbox;
  const token = await tokenOf(stage);
  const home = { ...stage.home, env: { ...stage.home.env, PLATFORM_TOKEN: `${token}\n` } };
  const own = [...asJob, '--assertion-env', 'PLATFORM_TOKEN', '--store', 'memory'];
  const call = await runProgram(home, ['call', serverUrl, 'whoami', '-v', ...own]);
  assert.match(call.stdout, /job/, call.stderr);
  assert.ok(!call.stderr.includes(token));
  const exec = await runProgram(home, [
    'exec',
    serverUrl,
    ...own,
    '--',
    'sh',
    '-c',
    'echo "$PLATFORM_TOKEN/$POSTERN_ACCESS_TOKEN"',
  ]);
  assert.match(exec.stdout, /^\/\S+/, exec.stderr);
  const kept = await runProgram(home, ['login', serverUrl, '--name', 'kept', ...own.slice(0, -2)]);
  assert.equal(kept.code, 0, kept.stderr);
  const later = await runProgram(home, ['exec', 'kept', '--', 'sh', '-c', 'echo "[$PLATFORM_TOKEN]"']);
  assert.equal(later.stdout, '[]\n', later.stderr);
  const file = join(stage.home.path, 'platform.jwt');
  await writeFile(file, `${token}\n`);
  const variables = { POSTERN_CLIENT_ID: 'job', POSTERN_ASSERTION_FILE: file };
  const byVariable = { ...stage.home, env: { ...stage.home.env, ...variables } };
  const again = await runProgram(byVariable, ['token', serverUrl, '--client-credentials', '--store', 'memory']);
  assert.equal(again.code, 0, again.stderr);
  const bridged = startBuiltBridge(home, serverUrl, ...own);
  await using bridge = bridged;
  const clientInfo = { name: 'host', version: '1.0.0' };
  bridge.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  assert.equal((await bridge.next()).error, undefined);
});

test('a helper refreshes in a process of its own, which has the variable; unset, it says which, and what to do', {
  skip,
}, async () => {
  await using stage = await openStage({ clients, accessTokenSeconds: 1 });
  const { serverUrl } = stage.sandbox;
  const home = { ...stage.home, env: { ...stage.home.env, PLATFORM_TOKEN: await tokenOf(stage) } };
  const login = await runProgram(home, ['login', serverUrl, ...asJob, '--assertion-env', 'PLATFORM_TOKEN']);
  assert.equal(login.code, 0, login.stderr);
  await aSecond();
  const helper = await runProgram(home, ['credential', 'headers', serverUrl]);
  assert.equal(helper.code, 0, helper.stderr);
  await aSecond();
  const without = await stage.run('token', serverUrl);
  assert.equal(without.code, 3);
  assert.match(without.stderr, /variable "PLATFORM_TOKEN".*not set.*postern help machines/s);
});

test('no file and no variable names a command; options that do not go together are refused before anything is sent', {
  skip,
}, async () => {
  await using stage = await openStage({ clients });
  const { serverUrl, issuer } = stage.sandbox;
  const mark = join(stage.home.path, 'mark');
  const command = JSON.stringify(['/usr/bin/touch', mark]);
  await writeFile(join(stage.home.path, 'config.json'), JSON.stringify({ assertionCommand: command }));
  const home = {
    ...stage.home,
    env: { ...stage.home.env, POSTERN_ASSERTION_COMMAND: command, POSTERN_CLIENT_ID: 'job' },
  };
  const named = await runProgram(home, ['call', serverUrl, 'whoami', '--client-credentials', '--store', 'memory']);
  assert.equal(named.code, 2, named.stdout);
  const touched = await runProgram(home, [
    'exec',
    serverUrl,
    '--client-credentials',
    '--store',
    'memory',
    '--',
    'true',
  ]);
  assert.equal(touched.code, 2);
  await assert.rejects(import('node:fs/promises').then(({ stat }) => stat(mark)));
  for (const options of [
    ['--assertion-file', 'a', '--client-id', 'job'],
    [...asJob, '--assertion-file', 'a', '--assertion-env', 'B'],
    [...asJob, '--assertion-file', 'a', '--client-key-file', 'b'],
    [...asJob, '--assertion-file', 'a', '--assertion-audience', 'x'],
    [...asJob, '--assertion-as', 'grant'],
    ['--client-credentials', '--assertion-file', 'a'],
    [...asJob, '--assertion-env', '$TOKEN'],
    [...asJob, '--assertion-command', 'relative'],
    [...asJob, '--assertion-command', '/bin/echo "x"'],
    [...asJob, '--assertion-file', '-'],
  ]) {
    const refused = await stage.run('login', serverUrl, ...options);
    assert.equal(refused.code, 2, `${options.join(' ')}: ${refused.stderr}`);
  }
  assert.deepEqual(
    stage.sandbox.requests.filter(({ path }) => path.endsWith('/token')),
    [],
    issuer,
  );
});
