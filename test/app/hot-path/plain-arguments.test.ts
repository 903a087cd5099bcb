import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCommandLine } from '../../../src/app/command-line.js';
import { globalOptions } from '../../../src/app/global-options.js';
import { plainArguments } from '../../../src/app/hot-path/plain-arguments.js';
import { requestTable } from '../../../src/call/request.command.js';
import type { CommandTable, OptionSpec } from '../../../src/core/command.js';
import { credentialTable } from '../../../src/credential/credential.options.js';
import { tokenTable } from '../../../src/credential/token.command.js';

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

/** Under another name: what the hot path's commands can do plainly is not given to yargs. */
const byYargs = (table: CommandTable): CommandTable => ({ ...table, name: 'by-yargs' });

test('the plain parser takes a command line as yargs does, or leaves it to yargs', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      const args = plainArguments(tokenTable, argv, {});
      if (args === undefined || args['help'] === true || args['version'] === true) return; // its caller does
      plain += 1;
      const options = { tables: [byYargs(tokenTable)], version: '9.9.9', env: {} };
      const parsed = await parseCommandLine(['by-yargs', ...argv], options);
      assert.ok(parsed.kind === 'command');
      assert.deepEqual(args, parsed.args);
    }),
    { numRuns: 500 },
  );
  assert.ok(plain > 10, `only ${plain} were plain`);
});

for (const table of [tokenTable, credentialTable, requestTable]) {
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
        const tables = [byYargs(table)];
        const parsed = await parseCommandLine(['by-yargs', ...argv], { tables, version: '9.9.9', env: {} });
        assert.ok(parsed.kind === 'command', argv.join(' '));
        assert.deepEqual(args, parsed.args, argv.join(' '));
      }),
    );
  });
}
