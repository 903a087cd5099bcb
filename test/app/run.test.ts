import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import type { Context, World } from '../../src/app/context.js';
import type { GlobalOptions } from '../../src/app/global-options.js';
import { createSignals } from '../../src/app/process.js';
import type { CommandEntry } from '../../src/app/registry.js';
import { runCommandLine } from '../../src/app/run.js';
import { createResultWriter, writerTo } from '../../src/app/write-stream.js';
import type { Command, CommandTable } from '../../src/core/command.js';
import { interrupted } from '../../src/core/output-failures.js';
import { plainLook } from '../../src/core/text/look.js';
import { createPrograms } from '../../src/credential/exec-program.js';
import { run } from '../../src/main.js';
import { makeHome } from '../support/home.js';
import { createMemoryStore, Failure } from '../support/product.js';

const plantTable = {
  name: 'plant',
  aliases: ['herb'],
  summary: 'a command of this test',
  positionals: [{ name: 'word', describe: 'a word', required: true }],
  options: [{ name: 'size', kind: 'number', min: 0, max: 9, default: 3, describe: 'a number' }],
} as const satisfies CommandTable;

/** Runs a command line that knows only the planted command; says what that was given and what was printed. */
async function plant(...argv: string[]) {
  let printed = '';
  let given: unknown;
  let loaded = 0;
  const command: Command<typeof plantTable, Pick<Context, 'json'>> = {
    table: plantTable,
    run: async (context, args) => {
      given = [context.json, args.word, args.size];
      return 8;
    },
  };
  const entry: CommandEntry = {
    table: plantTable,
    load: async () => {
      loaded += 1;
      return command as unknown as Awaited<ReturnType<CommandEntry['load']>>;
    },
  };
  const out = createResultWriter(
    async (text) => {
      printed += String(text);
    },
    undefined,
    (text) => text,
  );
  const index = { read: async () => ({ logins: [] }) };
  const makeContext = ({ json }: GlobalOptions) => ({ json, index }) as unknown as Context;
  let failure: Failure | undefined;
  const fail = async (error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    failure = error;
    return error.exit;
  };
  const line = { registry: [entry], version: '9.9.9', env: {}, out, look: plainLook, makeContext, fail };
  const ended = await runCommandLine(argv, line);
  const exit = failure ?? ended;
  return { exit, printed, given, loaded };
}

test('the first word that is no option is the command; global options stand anywhere', async () => {
  assert.deepEqual((await plant('plant', 'a')).given, [false, 'a', 3]);
  const { exit, given } = await plant('--json', 'plant', '--size', '5', 'b');
  assert.deepEqual([exit, given], [8, [true, 'b', 5]]);
});

test('help and version load no command, and help wins over whatever else is wrong', async () => {
  for (const argv of [
    ['plant', '--nope', '--help'],
    ['-h', 'plant'],
    ['help', 'plant'],
  ]) {
    const { exit, printed, loaded } = await plant(...argv);
    assert.deepEqual([exit, loaded], [0, 0]);
    assert.match(printed, /^Usage: postern plant <word> \[options\]\n(?:.*\n)*Options\n {2}--size N {2}a number/);
  }
  for (const argv of [['--help'], ['help'], ['help', '--help'], ['--json']]) {
    assert.match(
      (await plant(...argv)).printed,
      /^Usage: postern <command>(?:.*\n)*More\n {2}plant +a command of this test \(also herb\)\n/,
    );
  }
  assert.match((await plant()).printed, /^No logins yet\n {2}postern login /m);
  assert.match((await plant('help', 'exit-codes')).printed, /^ {2}3 +a login is needed/m);
  for (const argv of [['--version'], ['version'], ['plant', '--version']]) {
    assert.equal((await plant(...argv)).printed, '9.9.9\n');
  }
});

test('a command answers to its other names', async () => {
  assert.deepEqual((await plant('herb', 'a')).given, [false, 'a', 3]);
  assert.deepEqual((await plant('herb', '--size=5', 'a')).given, [false, 'a', 5]);
  for (const argv of [
    ['herb', '--help'],
    ['help', 'herb'],
  ]) {
    assert.match((await plant(...argv)).printed, /^Usage: postern plant <word>(?:.*\n)*Also: postern herb\n/);
  }
});

test('a mistyped command or option is refused with the one that was meant, exit 2', async () => {
  for (const [argv, remedy] of [
    [['plnat'], 'Did you mean postern plant?'],
    [['helo'], 'Did you mean postern help?'],
    [['frobnicate'], 'See: postern --help'],
    [['help', 'plnt'], 'Did you mean postern help plant?'],
    [['help', 'exit-code'], 'Did you mean postern help exit-codes?'],
    [['help', 'frobnicate'], 'See: postern --help'],
    [['hreb'], 'Did you mean postern herb?'],
    [['hub'], 'See: postern --help'],
    [['plant', 'a', '--szie', '1'], 'Did you mean --size?'],
    [['--versoin'], 'Did you mean --version?'],
    [['version', 'x'], 'See: postern version --help'],
    [['auth', 'x'], 'Did you mean postern login?'],
    [['toString'], 'See: postern --help'],
  ] as const) {
    const { exit, loaded } = await plant(...argv);
    assert.ok(exit instanceof Failure, argv.join(' '));
    assert.deepEqual([exit.exit, exit.remedy, loaded], [2, remedy, 0]);
  }
});

/** The real program in this process, with streams of the test's. */
async function world(env: Record<string, string>, home: string) {
  const wrote = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        wrote[name] += String(chunk);
        done();
      },
    });
  const made: World = {
    env,
    stdin: () => new PassThrough(),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    platform: process.platform,
    homedir: home,
    version: '9.9.9',
    clientMetadataUrl: '',
    interruption: new AbortController(),
    launch: { script: '/nowhere/postern.js', input: undefined, elapsed: () => 0 },
    tokenGiven: {},
    programs: createPrograms(env, createSignals()),
    signals: createSignals(),
    own: { store: createMemoryStore() },
  };
  return { made, wrote };
}

test('the whole program runs in another process of choice, with a store of its own', async () => {
  await using home = await makeHome();
  const { made, wrote } = await world(home.env, home.path);
  assert.equal(await run(['status', '--json'], made), 0);
  assert.deepEqual(wrote, { stdout: '{"logins":[],"clientKeys":[],"providers":[],"failures":[]}\n', stderr: '' });
  assert.equal(await run(['token', 'nowhere', '--json'], made), 3);
  assert.equal(JSON.parse(wrote.stderr.trimEnd().split('\n').at(-1) ?? '').error.code, 'login_needed');
});

test('the address built into a release is what is used where nothing is configured, and nowhere else', async () => {
  await using home = await makeHome();
  // Neither is ever asked: no document may lie at such an address.
  const release = 'http://release.postern/client.json';
  const configured = 'http://configured.postern/client.json';
  const checked = async (env: Record<string, string>, clientMetadataUrl: string) => {
    const { made, wrote } = await world({ ...home.env, ...env }, home.path);
    const exit = await run(['client-metadata', 'check', '--json'], { ...made, clientMetadataUrl });
    return [exit, exit === 5 ? JSON.parse(wrote.stdout).url : wrote.stdout];
  };
  assert.deepEqual(await checked({}, release), [5, release]);
  assert.deepEqual(await checked({ POSTERN_CLIENT_METADATA_URL: configured }, release), [5, configured]);
  assert.doesNotMatch(String((await checked({}, ''))[1]), /postern\/client/, 'a release without one has none');
});

test('an interrupted run says so, whatever it was about to say', async () => {
  await using home = await makeHome();
  const { made, wrote } = await world(home.env, home.path);
  made.interruption.abort(interrupted());
  assert.equal(await run(['status'], made), 130);
  assert.equal(wrote.stderr, 'Cancelled.\n');
  assert.equal(wrote.stdout, '');
});

test('variables that make Node.js print tokens or trust anybody are told of [A-268]', async () => {
  await using home = await makeHome({ NODE_DEBUG: 'http', NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  const { made, wrote } = await world(home.env, home.path);
  assert.equal(await run(['status'], made), 0);
  assert.match(wrote.stderr, /NODE_DEBUG\b.*\n.*NODE_TLS_REJECT_UNAUTHORIZED=0\b/);
});

test('an output that takes no more is a failure and not a fault, told once', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('no reader'), { code: 'EPIPE' })),
  });
  const write = writerTo(broken);
  await assert.rejects(write('x'), (error: unknown) => error instanceof Failure && error.code === 'output_failed');
});
