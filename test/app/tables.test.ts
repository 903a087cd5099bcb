import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { readShellLine } from '../../src/app/completion/shell-line.js';
import { installLines } from '../../src/app/completion/table.js';
import { globalOptions } from '../../src/app/global-options.js';
import { blocksOf } from '../../src/app/help/blocks.js';
import { explain } from '../../src/app/help/help.js';
import { namedGroups, optionGroups } from '../../src/app/help/option-groups.js';
import { ownTables } from '../../src/app/help/own-tables.js';
import { readTopic, topicNames } from '../../src/app/help/topics.js';
import { registry } from '../../src/app/registry.js';
import type { CommandTable, OptionSpec } from '../../src/core/command.js';
import { plainLook } from '../../src/core/text/look.js';
import { exitCode } from '../support/product.js';

const tables: readonly CommandTable[] = registry.map(({ table }) => table);

const known = new Map<string, string>();

/** What help says in a pipe. */
async function helpOf(...argv: string[]): Promise<string> {
  const asked = argv.join(' ');
  const shown = known.get(asked);
  if (shown !== undefined) return shown;
  const parsed = await parseCommandLine(argv, { tables, version: '9.9.9', env: {} });
  const text = parsed.kind === 'command' ? '' : await explain(plainLook, parsed, tables);
  known.set(asked, text);
  return text;
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

test('help names every option with its limits, choices and default [R-8.1], examples first', async () => {
  for (const table of tables) {
    const text = await helpOf('help', table.name);
    const flat = text.replace(/\s+/g, ' ');
    const options: readonly OptionSpec[] = table.options;
    for (const option of options) {
      assert.match(flat, new RegExp(` --${option.name} `), option.name);
      assert.ok(flat.includes(option.describe), option.name);
      if (option.kind === 'number') assert.ok(flat.includes(`${option.min} to ${option.max}`), option.name);
      if ('default' in option && option.default !== undefined) {
        assert.ok(flat.includes(`default: ${option.default}`), option.name);
      }
      if ('choices' in option && option.choices !== undefined && option.choices.length > 1) {
        assert.ok(flat.includes(`one of ${option.choices.join(', ')}`), option.name);
      }
      if (option.env !== undefined) assert.ok(flat.includes(`or ${option.env}`), option.name);
    }
    for (const { name } of globalOptions) assert.match(flat, new RegExp(`Global options: [^(]*--${name}\\b`), name);
    for (const note of table.notes ?? []) assert.ok(flat.includes(note), note);
    const parts = ['Usage:', '\nExamples\n', '\nArguments\n', '\nOptions\n', '\nGlobal options:'];
    const places = parts.map((part) => text.indexOf(part)).filter((at) => at !== -1);
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
      table.name,
    );
  }
});

test('an option stands in one group of its command, and first those that stand alone', async () => {
  for (const [name, groups] of Object.entries(namedGroups)) {
    const options = tables.find((table) => table.name === name)?.options.map((option) => option.name) ?? [];
    assert.deepEqual(
      groups.flatMap(([, names]) => names).filter((one) => !options.includes(one)),
      [],
      name,
    );
  }
  for (const table of tables) {
    const shown = optionGroups(table).flatMap(({ options }) => options.map(({ name }) => name));
    assert.deepEqual(shown.toSorted(), table.options.map(({ name }) => name).toSorted(), table.name);
    const [short, whole] = [await helpOf(table.name, '--help'), await helpOf('help', table.name)];
    for (const { title, isRare } of optionGroups(table)) {
      assert.ok(whole.includes(`\n\n${title}\n  `), title);
      assert.ok(short.includes(isRare ? `\n  ${title}: ` : `\n\n${title}\n  `), title);
    }
  }
  const login = await helpOf('help', 'login');
  assert.ok(login.indexOf('--name NAME') < login.indexOf('--assertion-file'), 'what few need stands below');
});

test('--help is for a screen or two: of options that few need it has the names alone; what they do is in postern help', async () => {
  for (const table of tables) {
    const short = (await helpOf(table.name, '--help')).replace(/\s+/g, ' ');
    const specs: readonly OptionSpec[] = table.options;
    for (const { name } of specs) assert.match(short, new RegExp(` --${name}(?:,| )`), `${table.name} ${name}`);
    for (const { isRare, options } of optionGroups(table)) {
      for (const { describe, brief = describe } of options) {
        // Two options of one command may say the same.
        const isOnce = specs.filter((one) => (one.brief ?? one.describe) === brief).length === 1;
        if (isOnce) assert.equal(short.includes(brief), !isRare, `${table.name}: ${brief}`);
        assert.ok(brief === describe || brief.length <= 60, brief);
      }
    }
    const lines = (await helpOf(table.name, '--help')).split('\n').length;
    assert.ok(lines <= 62, `${table.name}: ${lines} lines`);
  }
});

test('the words of a command’s own are explained each on a line of its own', async () => {
  for (const { name, terms } of tables) {
    if (terms === undefined) continue;
    for (const argv of [
      [name, '--help'],
      ['help', name],
    ]) {
      const flat = (await helpOf(...argv)).replace(/\s+/g, ' ');
      for (const [term, meaning] of terms.rows) {
        const said = argv[0] === 'help' ? meaning : meaning.replace(/(?<=\.) [A-Z].*$/s, '');
        assert.ok(flat.includes(`${term} ${said}`), term);
      }
    }
  }
});

test('what --help has no room for is in postern help, and --help says so', async () => {
  for (const table of tables) {
    const [short, whole] = [await helpOf(table.name, '--help'), await helpOf('help', table.name)].map((text) =>
      text.replace(/\s+/g, ' '),
    );
    for (const note of table.more ?? [])
      assert.deepEqual([short?.includes(note), whole?.includes(note)], [false, true]);
    for (const note of table.notes ?? []) assert.ok(whole?.includes(note), note);
    const without = (text = '') => text.replace(/ (?:All of it|See also): .*$/, '');
    const isCut = without(short) !== without(whole);
    assert.equal(short?.includes(` All of it: postern help ${table.name} `), isCut, table.name);
    assert.ok(!whole?.includes('All of it:'), table.name);
    for (const { describe } of table.examples ?? []) assert.ok(whole?.includes(describe), describe);
  }
});

test('a paragraph of help ends as a sentence does', () => {
  for (const { name, notes = [], more = [] } of tables) {
    for (const note of [...notes, ...more]) {
      assert.match(note, /(?:[.)]|See: postern help [a-z-]+|FOLDER)$/, name);
      assert.doesNotMatch(note, /postern help [a-z-]+ [A-Z]/, name);
    }
  }
});

test('the overview names every command once in its group, every global option and every topic', async () => {
  const text = await helpOf('--help');
  for (const { name, aliases = [] } of [...tables, ...ownTables]) {
    assert.equal(text.match(new RegExp(`^  ${name}  +\\S`, 'gm'))?.length, 1, name);
    if (aliases.length > 0) assert.match(text.replace(/\s+/g, ' '), new RegExp(`also ${aliases.join(', ')}`), name);
  }
  const headings = [...text.matchAll(/^(\S.*[a-z])$/gm)].map(([line]) => line);
  assert.deepEqual(
    headings.filter((line) => ['Examples', 'Log in', 'Use', 'For other programs', 'More'].includes(line)),
    ['Examples', 'Log in', 'Use', 'For other programs', 'More'],
  );
  const flat = text.replace(/\s+/g, ' ');
  for (const { name, describe } of globalOptions)
    assert.ok(flat.includes(`--${name}`) && flat.includes(describe), name);
  for (const name of topicNames) assert.match(flat, new RegExp(`[ ,]${name}[ ,]`), name);
});

test('the exit codes are a topic, which names every one', async () => {
  const text = await helpOf('help', 'exit-codes');
  for (const code of [0, ...Object.values(exitCode)]) assert.match(text, new RegExp(`^  ${code} +\\S`, 'm'));
});

test('what a help leads to is there', () => {
  const known = [...[...tables, ...ownTables].map(({ name }) => name), ...topicNames];
  assert.deepEqual(known, [...new Set(known)], 'a topic has the name of a command');
  for (const { name, seeAlso = [] } of tables) {
    for (const other of seeAlso) assert.ok(known.includes(other), `${name}: ${other}`);
  }
});

/** Each command of ours in a line to be copied, as a shell takes it apart. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const bare = line.replace(/ [<>]+ ?\S+/g, '').replaceAll('…', 'x');
  return bare.split(/\$\(|[|;)]/).flatMap((part) => {
    const [, own] = /(?:^|[\s"])postern (.*)$/.exec(part) ?? [];
    if (own === undefined) return [];
    const { before, current } = readShellLine(`postern ${own.replace(/"$/, '')}`);
    return [[...before, ...(current === '' ? [] : [current])]];
  });
}

test('every line to be copied, of examples and of topics, is a command line that is taken', async () => {
  const lines = [
    ...[...tables, ...ownTables].flatMap(({ examples = [] }) => examples.map(({ command }) => command)),
    ...topicNames.flatMap((name) =>
      blocksOf(readTopic(name).text).flatMap((block) => (block.kind === 'code' ? block.lines : [])),
    ),
    ...Object.values(installLines),
  ];
  const commands = lines.flatMap(commandsIn);
  assert.ok(commands.length > 80, String(commands.length));
  for (const words of commands) {
    const { kind } = await parseCommandLine(words, { tables, version: '9.9.9', env: {} });
    assert.ok(['command', 'text', 'help', 'topic'].includes(kind), words.join(' '));
  }
});
