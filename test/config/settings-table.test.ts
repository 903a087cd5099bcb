import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsTable } from '../../src/config/settings-table.js';
import type { SetValue } from '../../src/core/configuration/configuration.js';
import { settings } from '../../src/core/configuration/settings.js';
import { columnsOf } from '../../src/core/text/layout.js';

const shown = settings.slice(0, 6);
const set = new Map<string, SetValue>([
  ['store', { value: 'file', by: 'environment' }],
  ['caFile', { value: '/home/alice/all authorities.pem', by: 'file' }],
]);

test('settings are a table where there is room, its columns apart, and stand stacked on a narrow terminal', () => {
  for (const width of [80, 100, 120, 200]) {
    const lines = settingsTable({ width, color: false }, shown, set);
    for (const line of lines) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
    const rows = lines.slice(0, lines.indexOf(''));
    assert.ok(rows.length <= 3 * shown.length, String(rows.length));
    for (const { key } of shown) assert.match(rows.join('\n'), new RegExp(`^${key} {2,}\\S`, 'm'));
    // The text of every line begins in one column, two blanks behind the widest value.
    const column = rows.find((line) => line.startsWith('storeReadOnly'))?.indexOf('only read') ?? 0;
    for (const line of rows) assert.match(line.slice(column - 2, column + 1), /^(?: {2}\S| {0,2})$/, line);
  }
  const long = new Map([['caFile', { value: `/home/${'a'.repeat(60)}/ca.pem`, by: 'file' } as const]]);
  assert.equal(settingsTable({ width: 80, color: false }, shown, long)[0], `store: ${shown[0]?.fallback}`);
  const narrow = settingsTable({ width: 40, color: false }, shown, set);
  assert.equal(narrow[0], 'store: file (from the environment)');
  assert.ok(narrow.includes('storeReadOnly: false'));
});
