import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkArguments, type RawArguments } from '../../src/app/check-arguments.js';
import { parsePlain, parseWithYargs } from '../../src/app/parse-arguments.js';
import { Failure } from '../../src/core/failure.js';
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

test('the plain parser takes a command line apart exactly as yargs does, or leaves it to yargs', async () => {
  let plain = 0;
  const judge = (raw: RawArguments): unknown => {
    try {
      return checkArguments(tokenTable, raw, {});
    } catch (error) {
      assert.ok(error instanceof Failure);
      return error.message;
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      const raw = parsePlain(tokenTable, argv);
      if (raw === undefined) return;
      plain += 1;
      assert.deepEqual(judge(raw), judge(await parseWithYargs(tokenTable, argv)));
    }),
    { numRuns: 1000 },
  );
  assert.ok(plain > 50, `only ${plain} were plain`);
});
