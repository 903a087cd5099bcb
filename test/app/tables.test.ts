import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { readShellLine } from '../../src/app/completion/start.js';
import { globalOptions } from '../../src/app/global-options.js';
import { blocksOf } from '../../src/app/help/blocks.js';
import { explain } from '../../src/app/help/help.js';
import { installLines, ownTables } from '../../src/app/help/own-tables.js';
import { readTopic, topicNames } from '../../src/app/help/topics.js';
import { registry } from '../../src/app/registry.js';
import type { CommandTable, OptionSpec } from '../../src/core/command.js';
import { settings } from '../../src/core/configuration/settings.js';
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

test('help of a command is one screen: its usual options with limits, choices and default [R-8.1], examples first', async () => {
  for (const table of tables) {
    const text = await helpOf('help', table.name);
    assert.equal(text, await helpOf(table.name, '--help'));
    assert.ok(text.trimEnd().split('\n').length <= 45, `${table.name}: ${text.split('\n').length} lines`);
    const flat = text.replace(/\s+/g, ' ');
    const options: readonly OptionSpec[] = table.options;
    for (const option of options.filter(({ topic }) => topic === undefined)) {
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
    for (const note of table.notes ?? []) assert.ok(flat.includes(note), note);
    for (const row of table.terms?.rows ?? []) assert.ok(flat.includes(row.join(' ')), row[0]);
    const parts = ['Usage:', '\nExamples\n', '\nArguments\n', '\nOptions\n', '\nMore options', '\nGlobal options'];
    const starts = parts.map((part) => text.indexOf(part)).filter((at) => at !== -1);
    assert.deepEqual(
      starts,
      starts.toSorted((one, other) => one - other),
      table.name,
    );
  }
});

test('every variable that stands for an option or a setting is in the topic on the environment', () => {
  const { text } = readTopic('environment');
  for (const { name, options } of tables) {
    for (const { env, name: option } of options) {
      if (env === undefined) continue;
      const isSetting = settings.some(({ variable }) => variable === env);
      assert.match(
        text,
        new RegExp(isSetting ? `\\*\\*${env}\\*\\*` : `\\*\\*${env}\\*\\*:.*\`${name} --${option}\``),
        option,
      );
    }
  }
  const listed = settings.filter(({ describe }) => !describe.startsWith('limit '));
  for (const { variable, key } of listed) assert.match(text, new RegExp(`\\*\\*${variable}\\*\\*:.*\`${key}\``), key);
});

test('an option that few need is explained by the topic that help names', async () => {
  for (const table of tables) {
    const options: readonly OptionSpec[] = table.options;
    const help = await helpOf('help', table.name);
    for (const { name, topic } of options) {
      if (topic === undefined) continue;
      assert.match(help, new RegExp(`\\n  ${topic} +--`), `${table.name} --${name}`);
      assert.match(readTopic(topic).text, new RegExp(`--${name}(?![\\w-])`), `${topic}: --${name}`);
    }
  }
});

test('a paragraph of help ends as a sentence does', () => {
  for (const { name, notes = [] } of tables) {
    for (const note of notes) assert.match(note, /[.)]$/, name);
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
