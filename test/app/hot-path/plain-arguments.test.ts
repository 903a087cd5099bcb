import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainArguments } from '../../../src/app/arguments.js';
import { parseCommandLine } from '../../../src/app/command-line.js';
import { globalOptions } from '../../../src/app/global-options.js';
import { registry } from '../../../src/app/registry.js';
import type { CommandTable, OptionSpec } from '../../../src/core/command.js';
import { tokenTable } from '../../../src/credential/credential.options.js';

const word = fc.oneof(
  fc.constantFrom('work', 'https://a.example/mcp', '--account', '--account=x', '--header', '--json', '--min-ttl'),
  fc.constantFrom(
    '5',
    '--min-ttl=7',
    '--quiet',
    '-q',
    '-',
    '--',
    '--nope',
    '$0',
    '--header=true',
    'true',
    '-5',
    '--account=',
  ),
  fc.string({ maxLength: 6 }),
);

/** As yargs takes it: an option that excludes others is not plain. */
async function byYargs(table: CommandTable, argv: readonly string[]): Promise<unknown> {
  const options: readonly OptionSpec[] = [
    ...table.options,
    { name: 'odd', kind: 'string', describe: '', excludes: [] },
  ];
  const tables = [{ ...table, options }];
  const parsed = await parseCommandLine([table.name, '--odd=x', ...argv], { tables, version: '9.9.9', env: {} });
  assert.ok(parsed.kind === 'command', argv.join(' '));
  const { odd, ...args } = parsed.args;
  assert.equal(odd, 'x');
  return args;
}

test('the plain parser takes a command line as yargs does, or leaves it to yargs', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      const args = plainArguments(tokenTable, argv, {});
      if (args === undefined || args['help'] === true || args['version'] === true) return; // its caller does
      plain += 1;
      assert.deepEqual(args, await byYargs(tokenTable, argv));
    }),
    { numRuns: 500 },
  );
  assert.ok(plain > 10, `only ${plain} were plain`);
});

for (const { table } of registry) {
  test(`the plain parser takes a command line of ${table.name} as yargs does, or leaves it to yargs`, async () => {
    const options: readonly OptionSpec[] = [...table.options, ...globalOptions];
    const values = options.flatMap((option) => ('choices' in option ? (option.choices ?? []) : []));
    const typed = fc.oneof(
      fc.constantFrom(
        ...options.flatMap(({ name, alias }) => [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])]),
      ),
      fc.constantFrom('work', 'https://a.example/mcp', '5', '1024', '--', 'true', ...values),
      fc
        .tuple(fc.constantFrom(...options), fc.constantFrom('x', '7', '', ...values))
        .map(([{ name }, value]) => `--${name}=${value}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(typed, { maxLength: 5 }), async (argv) => {
        const args = plainArguments(table, argv, {});
        if (args === undefined || args['help'] === true || args['version'] === true) return;
        assert.deepEqual(args, await byYargs(table, argv), argv.join(' '));
      }),
    );
  });
}
