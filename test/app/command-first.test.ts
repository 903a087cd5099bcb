import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandFirst } from '../../src/app/command-first.js';
import { parseCommandLine } from '../../src/app/command-line.js';
import { globalOptions } from '../../src/app/global-options.js';
import { ownTables } from '../../src/app/help/own-tables.js';
import { registry } from '../../src/app/registry.js';
import type { OptionSpec } from '../../src/core/command.js';

const tables = [...registry.map(({ table }) => table), ...ownTables];
const first = (line: string) => commandFirst(line.split(' '), tables).join(' ');
const parsed = (argv: readonly string[]) => parseCommandLine(argv, { tables, version: '1', env: {} });

test('options before the command are those of the command, each with its value', () => {
  assert.equal(first('--field expiresAt token work'), 'token --field expiresAt work');
  assert.equal(first('--field=expiresAt -q token work --header'), 'token --field=expiresAt -q work --header');
  assert.equal(first('--account me token work'), 'token --account me work');
  assert.equal(first('--json status'), 'status --json');
  assert.equal(first('--field status status'), 'status --field status', 'a value may be called like a command');
  assert.equal(first('-v exec work -- env --field x'), 'exec -v work -- env --field x');
  assert.equal(first('token work --field x'), 'token work --field x');
});

test('what cannot be read so stays as it is', () => {
  for (const line of ['--jsno status', '--', '-- status', '--json', '--field x', '--header call work', '--field x y']) {
    assert.equal(first(line), line);
  }
});

const options: readonly OptionSpec[] = globalOptions;

for (const { name, alias, kind } of options.filter((one) => !/help|version/.test(one.name))) {
  test(`--${name} before the command means what it means behind it, for yargs, too`, async () => {
    for (const word of [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])]) {
      const words = kind === 'boolean' ? [word] : [word, 'value'];
      const before = commandFirst([...words, 'token', 'work'], tables);
      assert.deepEqual(await parsed(before), await parsed(['token', 'work', ...words]));
    }
  });
}

test('an option that lacks its value says so, wherever it stands', async () => {
  for (const line of [
    '--field token work',
    '--field exec work -- env',
    '--field --json token work',
    '--field status',
  ]) {
    const argv = commandFirst(line.split(' '), tables);
    await assert.rejects(parsed(argv), { code: 'usage_wrong', message: '--field needs a value.' }, line);
  }
});
