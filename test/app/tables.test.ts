import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { globalOptions } from '../../src/app/global-options.js';
import { registry } from '../../src/app/registry.js';
import type { CommandTable, OptionSpec } from '../../src/core/command.js';

const tables: readonly CommandTable[] = registry.map(({ table }) => table);

async function helpOf(...argv: string[]): Promise<string> {
  const parsed = await parseCommandLine(argv, { tables, version: '9.9.9', env: {} });
  return parsed.kind === 'text' ? parsed.text : '';
}

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

test('help fits 80 columns, and names every option with its limits, choices and default [R-8.1]', async () => {
  for (const table of tables) {
    const text = await helpOf(table.name, '--help');
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
        const all = option.choices.map((choice) => `"${choice}"`).join(', ');
        assert.ok(flat.includes(`choices: ${all}`), option.name);
      }
    }
    for (const note of table.notes ?? []) assert.ok(flat.includes(note), note);
  }
});

test('the overview names every command and every exit code', async () => {
  const text = await helpOf('--help');
  for (const { name, summary } of tables) {
    assert.match(text, new RegExp(`^  postern ${name} .*${summary.split(' ', 3).join(' ')}`, 'm'));
  }
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 130]) {
    assert.match(text, new RegExp(`^  ${code} +\\S`, 'm'));
  }
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
});

test('a shell is told which commands, options and choices there are', async () => {
  const completed = async (...words: string[]) =>
    (await helpOf('--get-yargs-completions', 'postern', ...words)).split('\n');
  assert.deepEqual(
    (await completed('lo')).filter((one) => /^log/.test(one)),
    ['login', 'logout'],
  );
  assert.ok((await completed('login', '--regi')).includes('--registration'));
  assert.ok((await completed('login', '--registration', 'd')).includes('dynamic'));
  assert.match(await helpOf('completion'), /complete .*postern|compdef .*postern/);
});
