import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context } from '../../src/app/context.js';
import type { GlobalOptions } from '../../src/app/global-options.js';
import type { CommandEntry } from '../../src/app/registry.js';
import { runCommandLine } from '../../src/app/run.js';
import { createResultWriter } from '../../src/app/write-stream.js';
import type { Command, CommandTable } from '../../src/core/command.js';
import { plainLook } from '../../src/core/text/look.js';
import { Failure } from '../support/product.js';

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
