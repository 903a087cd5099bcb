import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainArguments } from '../../src/app/arguments.js';
import { parseCommandLine } from '../../src/app/command-line.js';
import { tokenTable } from '../../src/credential/token.command.js';

const word = fc.oneof(
  fc.constantFrom(
    'work',
    'https://a.example/mcp',
    '--account',
    '--account=x',
    '--header',
    '--json',
    '--min-ttl',
  ),
  fc.constantFrom(
    '5',
    '--min-ttl=7',
    '--quiet',
    '-q',
    '-',
    '--',
    '--nope',
    '--header=true',
    'true',
    '-5',
    '--account=',
  ),
  fc.string({ maxLength: 6 }),
);

test('the plain parser takes a command line as yargs does, or leaves it to yargs', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      const args = plainArguments(tokenTable, argv, {});
      if (args === undefined) return;
      plain += 1;
      const options = { tables: [tokenTable], version: '9.9.9', env: {} };
      const parsed = await parseCommandLine([tokenTable.name, ...argv], options);
      assert.ok(parsed.kind === 'command');
      assert.deepEqual(args, parsed.args);
    }),
    { numRuns: 3000 },
  );
  assert.ok(plain > 50, `only ${plain} were plain`);
});
