import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globalOptions } from '../../src/app/global-options.js';
import { commandHelp, helpTable, overview, versionTable } from '../../src/app/help.js';
import { registry } from '../../src/app/registry.js';
import type { CommandTable, OptionSpec } from '../../src/core/command.js';

const tables: readonly CommandTable[] = [...registry.map(({ table }) => table), helpTable, versionTable];

test('no command has two options of one name or letter, the global ones included', () => {
  for (const table of tables) {
    const options: readonly OptionSpec[] = [...table.options, ...globalOptions];
    const names = options.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
    assert.deepEqual(names, [...new Set(names)], table.name);
    assert.ok(
      options.every(({ name, alias }) => /^[a-z]+(-[a-z]+)*$/.test(name) && /^[A-Za-z]?$/.test(alias ?? '')),
      table.name,
    );
  }
});

test('only the last word of a command may be many, and none that is required follows one that is not', () => {
  for (const { name, positionals } of tables) {
    assert.ok(
      positionals.slice(0, -1).every(({ many }) => many !== true),
      name,
    );
    const required = positionals.map((one) => one.required);
    assert.deepEqual(
      required,
      [...required].sort((one, other) => Number(other) - Number(one)),
      name,
    );
  }
});

test('every command that is listed can be loaded, and is the one of its table', async () => {
  for (const { table, load } of registry) {
    assert.equal((await load()).table, table, table.name);
  }
});

test('help fits 80 columns, and names every option with its limits, choices and default [R-8.1]', () => {
  for (const table of tables) {
    const text = commandHelp(table, []);
    const flat = text.replace(/\s+/g, ' ');
    for (const line of text.split('\n').filter((one) => !one.startsWith('  postern'))) {
      assert.ok(line.length <= 80, `${table.name}: ${line}`);
    }
    const options: readonly OptionSpec[] = [...table.options, ...globalOptions];
    for (const option of options) {
      assert.ok(flat.includes(`--${option.name} `), option.name);
      assert.ok(flat.includes(option.describe), option.name);
      if (option.kind === 'number') assert.ok(flat.includes(`${option.min} to ${option.max}`), option.name);
      if ('default' in option && option.default !== undefined) {
        assert.ok(flat.includes(`default: ${option.default}`), option.name);
      }
      if ('choices' in option && option.choices !== undefined) {
        assert.ok(flat.includes(option.choices.join(', ')), option.name);
      }
    }
  }
});

test('the overview names every command and every exit code', () => {
  const text = overview(tables);
  for (const { name, summary } of tables) {
    assert.match(text, new RegExp(`^  ${name}\\s+${summary.split(' ', 3).join(' ')}`, 'm'));
  }
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 130]) {
    assert.match(text, new RegExp(`^  ${code} +\\S`, 'm'));
  }
});
