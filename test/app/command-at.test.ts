import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { registry } from '../../src/app/registry.js';

const tables = registry.map(({ table }) => table);
const parsed = (argv: readonly string[]) => parseCommandLine(argv, { tables, version: '1', env: {} });

test('options may stand before the command, each with its value', async () => {
  for (const [line, usual] of [
    ['--field expiresAt token work', 'token --field expiresAt work'],
    ['--field=expiresAt -q token work --header', 'token --field=expiresAt -q work --header'],
    ['--account me token work', 'token --account me work'],
    ['--json status', 'status --json'],
    ['--field status status', 'status --field status'],
    ['-v exec work -- env --field x', 'exec -v work -- env --field x'],
    ['--header token work', 'token --header work'],
  ] as const) {
    assert.deepEqual(await parsed(line.split(' ')), await parsed(usual.split(' ')), line);
  }
});

test('an option that lacks its value says so, wherever it stands', async () => {
  for (const line of [
    '--field token work',
    '--field exec work -- env',
    '--field --json token work',
    '--field status',
  ]) {
    await assert.rejects(parsed(line.split(' ')), { code: 'usage_wrong', message: '--field needs a value.' }, line);
  }
});
