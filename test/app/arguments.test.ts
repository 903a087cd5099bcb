import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { requestTable } from '../../src/call/call.options.js';
import type { CommandTable, LooseArguments } from '../../src/core/command.js';
import { tokenTable } from '../../src/credential/credential.options.js';
import { loginTable } from '../../src/login/login.options.js';
import { Failure } from '../support/product.js';

const table = {
  name: 'plant',
  summary: 'a command of this test',
  positionals: [
    { name: 'first', describe: 'the first word', required: true },
    { name: 'other-words', describe: 'more', required: false, many: true },
  ],
  options: [
    { name: 'flag', alias: 'f', kind: 'boolean', describe: 'a switch' },
    { name: 'alone', kind: 'boolean', describe: 'not with a size', excludes: ['max-size'] },
    { name: 'near', kind: 'boolean', describe: 'with a text', needs: ['text'] },
    { name: 'text', alias: 't', kind: 'string', describe: 'a text', env: 'PLANT_TEXT' },
    { name: 'way', kind: 'string', choices: ['dynamic', 'ask'], default: 'ask', describe: 'one of two' },
    { name: 'max-size', kind: 'number', min: 1, max: 10, describe: 'a number', env: 'PLANT_SIZE' },
    { name: 'item', alias: 'i', kind: 'list', describe: 'several' },
  ],
} as const satisfies CommandTable;

async function parseFor(
  of: CommandTable,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<LooseArguments> {
  const parsed = await parseCommandLine([of.name, ...argv], { tables: [of], version: '9.9.9', env });
  assert.equal(parsed.kind, 'command');
  return parsed.kind === 'command' ? parsed.args : {};
}

async function parse(argv: readonly string[], env: Record<string, string> = {}): Promise<LooseArguments> {
  return parseFor(table, argv, env);
}

async function refusal(argv: readonly string[], env: Record<string, string> = {}): Promise<Failure> {
  const outcome = await parse(argv, env).catch((error: unknown) => error);
  assert.ok(outcome instanceof Failure, `accepted: ${argv.join(' ')}`);
  assert.equal(outcome.exit, 2);
  return outcome;
}

test('options, lists, numbers, words and defaults come out typed, under their names in code', async () => {
  const args = await parse(['a', '--flag', '--text', 'x', '--max-size=7', '-i', '1', '--item=2', 'b', '-', '--', '-c']);
  assert.deepEqual(
    { ...args },
    {
      ...{
        flag: true,
        alone: false,
        near: false,
        text: 'x',
        way: 'ask',
        maxSize: 7,
        item: ['1', '2'],
        first: 'a',
        otherWords: ['b', '-', '-c'],
      },
      ...{
        json: false,
        field: undefined,
        quiet: false,
        verbose: false,
        nonInteractive: false,
        noColor: false,
        help: false,
        version: false,
      },
    },
  );
});

test('letters work as in curl, a dash is a value, and no value is guessed to be something else', async () => {
  const args = await parse(['-tPOST', 'a', '-i', '-', '-i@x', '--item', '007', '-i', 'a=b', '-fq', '1e3']);
  assert.equal(args['text'], 'POST');
  assert.deepEqual(args['item'], ['-', '@x', '007', 'a=b']);
  assert.equal(args['flag'], true);
  assert.equal(args['quiet'], true);
  assert.deepEqual(args['otherWords'], ['1e3']);
});

test('an unknown option is refused with the one that was meant', async () => {
  assert.equal((await refusal(['a', '--flga'])).remedy, 'Did you mean --flag?');
  assert.equal((await refusal(['a', '--jsn'])).remedy, 'Did you mean --json?');
  assert.equal((await refusal(['a', '--frobnicate'])).remedy, 'See: postern plant --help');
  for (const name of [
    '--toString',
    '--constructor=1',
    '--__proto__',
    '--_',
    '--_=x',
    '--$0',
    '-z',
    '--no-flag',
    '--a.b',
  ]) {
    assert.match((await refusal(['a', name])).message, /no option|takes no value/, name);
  }
});

test('an option that none is called is named before whatever else is wrong', async () => {
  for (const argv of [
    ['--nope'],
    ['--text', '--nope'],
    ['--nope', '--alone', '--max-size', '1'],
    ['a', '--way=no', '--nope'],
  ]) {
    assert.match((await refusal(argv)).message, /"--nope"/, argv.join(' '));
  }
  assert.deepEqual((await refusal(['-V'])).detail.typo, { typed: '-V', meant: '--version' });
  assert.match((await refusal(['a', '--max-size', '-5'])).message, /^--max-size\b/);
  assert.deepEqual((await parse(['a', '--', '--nope']))['otherWords'], ['--nope']);
});

test('missing, repeated, unfit and superfluous values are refused by name', async () => {
  assert.match((await refusal(['a', '--text'])).message, /--text needs a value/);
  assert.match((await refusal(['a', '--text', '--flag'])).message, /--text needs a value/);
  assert.match((await refusal(['a', '--text='])).message, /--text needs a value/);
  assert.match((await refusal(['a', '--text', '1', '-t', '2'])).message, /--text\b.*more than once/);
  assert.match((await refusal(['a', '--flag=maybe'])).message, /--flag takes no value/);
  assert.match((await refusal(['a', '--max-size', '11'])).message, /from 1 to 10, not "11"/);
  for (const odd of ['0', '1.5', '1e0', '0x1', 'NaN', ' 1']) {
    assert.match((await refusal(['a', '--max-size', odd])).message, /from 1 to 10/, odd);
  }
  assert.equal((await refusal(['a', '--way', 'dinamic'])).remedy, 'Did you mean dynamic?');
  assert.match((await refusal([])).message, /needs a first/);
  await assert.rejects(parseFor(tokenTable, ['a', 'b']), /"b" is one word too many here/);
});

test('a variable stands for its option, less strongly, and is named when it is unfit', async () => {
  assert.equal((await parse(['a'], { PLANT_TEXT: 'env' }))['text'], 'env');
  assert.equal((await parse(['a', '--text', 'typed'], { PLANT_TEXT: 'env' }))['text'], 'typed');
  assert.equal((await parse(['a'], { PLANT_TEXT: '' }))['text'], undefined);
  assert.match((await refusal(['a'], { PLANT_SIZE: '11' })).message, /^PLANT_SIZE\b.* 1 to 10\b/);
});

test('what a person typed is shown harmless when it is refused [A-243]', async () => {
  const { message } = await refusal(['a', '--\u001b]52;c;x\u0007', '\u202e']);
  assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
});

test('request reads what people type for curl', async () => {
  const argv = ['-XPUT', '-H', 'a: b', '-Hc: d', '-d', '@body.json', '-i', '-o', '-', '--fail', 'https://a.example/x'];
  const args = await parseFor(requestTable, argv);
  assert.deepEqual(
    [args['request'], args['header'], args['data'], args['include'], args['output'], args['fail'], args['url']],
    ['PUT', ['a: b', 'c: d'], ['@body.json'], true, '-', true, 'https://a.example/x'],
  );
});

test('two options of which one leaves the other no meaning are refused, exit 2; the environment is no contradiction', async () => {
  for (const argv of [
    ['a', '--alone', '--max-size', '3'],
    ['a', '--max-size=3', '--alone'],
  ]) {
    const { message, remedy } = await refusal(argv);
    assert.match(message, /--alone and --max-size/);
    assert.match(remedy, /Leave one of them out/);
  }
  assert.equal((await parse(['a', '--alone'], { PLANT_SIZE: '3' }))['maxSize'], 3);
  for (const other of ['--no-browser', '--device', '--registration=ask', '--redirect-port=4000']) {
    const argv = ['https://x.example/', '--client-credentials', other];
    await assert.rejects(parseFor(loginTable, argv), /cannot be used together/, other);
  }
});

test('an option that means nothing without another one is refused without it; the environment does not count', async () => {
  assert.equal((await refusal(['a', '--near'])).message, '--near needs --text.');
  assert.equal((await refusal(['a', '--near'], { PLANT_TEXT: 'x' })).message, '--near needs --text.');
  assert.equal((await parse(['a', '--near', '--text', 'x']))['near'], true);
});
