import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import {
  idsNamedIn,
  judgeRules,
  type NotYet,
  newerRulesInTable,
  type Rule,
  rulesInTable,
  rulesNamedIn,
} from './rules/judge-rules.js';
import { innerModulesOf, shownIds, type TestFiles } from './rules/outside.js';
import { repositoryRoot } from './support/repository.js';

const text = (...path: string[]) => readFile(join(repositoryRoot, ...path), 'utf8');
const slashed = (path: string) => path.split(sep).join('/');

/** The copies of the rule tables that are kept here, and how the tables themselves are read, where they are at hand. */
const ruleTables = [
  { copy: 'rules.json', table: 'rules.md', read: rulesInTable },
  { copy: 'rules-2026-07-28.json', table: 'rules-2026-07-28.md', read: newerRulesInTable },
] as const;

async function copyOf(copy: string): Promise<readonly Rule[]> {
  return JSON.parse(await text('test', 'rules', copy));
}

const files = await testFiles();

/** Everything under test, as some titles are made from tables; but not this file, whose planted names are none. */
async function testFiles(): Promise<TestFiles> {
  const names = await readdir(join(repositoryRoot, 'test'), { recursive: true });
  const own = names.filter(
    (name) => name.endsWith('.ts') && !name.includes('node_modules') && name !== 'rules.test.ts',
  );
  assert.ok(own.length > 0, 'the tests were found');
  return new Map(
    await Promise.all(own.map(async (name) => [slashed(join('test', name)), await text('test', name)] as const)),
  );
}

test('every rule is named by a test, or stands on the dated list of those that are not yet', async () => {
  const rules = await Promise.all(ruleTables.map(({ copy }) => copyOf(copy)));
  const notYet: readonly NotYet[] = JSON.parse(await text('test', 'rules', 'not-yet.json'));
  const ids = rules.flat().map(({ id }) => id);
  assert.deepEqual(judgeRules(ids, notYet, [...files.values()]), { missing: [], stale: [], unknown: [] });
});

test('every id is shown by a test at the outside', () => {
  const { all, outside } = shownIds(files, idsNamedIn);
  assert.deepEqual(
    [...all].filter((id) => !outside.has(id)),
    [],
  );
});

test('a test at the outside imports faces alone, itself and by its helpers', () => {
  const inner = (test: string, helper = '') =>
    innerModulesOf(
      'test/call/x.test.ts',
      new Map([
        ['test/call/x.test.ts', test],
        ['test/call/helper.ts', helper],
      ]),
    );
  const faces = ['app/run', 'call/call.command', 'login/ports', 'sandbox/faults/table', 'core/secret'];
  for (const face of faces) assert.deepEqual(inner(`import { x } from '../../src/${face}.js';`), [], face);
  assert.deepEqual(
    inner("import { x } from '../support/home.js';\nimport type { C } from '../../src/call/call.js';"),
    [],
  );
  assert.deepEqual(inner("import { call } from '../../src/call/call.js';"), ['src/call/call.ts']);
  const helped = inner("import { x } from './helper.js';", "const x = await import('../../src/call/render.js');");
  assert.deepEqual(helped, ['src/call/render.ts']);
  const [one, other] = ["test('a [A-1] [Q-1.2]');", "import '../../src/call/call.js';\ntest('b [A-1] [R-1.1]');"];
  const { all, outside } = shownIds(
    new Map([
      ['test/a/a.test.ts', one],
      ['test/a/b.test.ts', other],
    ]),
    idsNamedIn,
  );
  assert.deepEqual(
    [[...all], [...outside]],
    [
      ['A-1', 'Q-1.2', 'R-1.1'],
      ['A-1', 'Q-1.2'],
    ],
  );
});

test('each entry of the list says since when, why, and which issue ends it', async () => {
  const notYet: readonly NotYet[] = JSON.parse(await text('test', 'rules', 'not-yet.json'));
  assert.equal(new Set(notYet.map(({ rule }) => rule)).size, notYet.length);
  for (const { rule, since, reason, issue } of notYet) {
    assert.match(since, /^20[0-9]{2}-[01][0-9]-[0-3][0-9]$/, rule);
    assert.ok(reason.length >= 20, rule);
    assert.ok(Number.isInteger(issue) && issue > 0, rule);
  }
});

for (const { copy, table, read } of ruleTables) {
  const path = join(repositoryRoot, '..', 'shared', 'spec', table);
  const skip = existsSync(path) ? false : 'the rule table is not beside this repository';
  test(`the copy of ${table} is current`, { skip }, async () => {
    const rules = await copyOf(copy);
    assert.ok(rules.length > 60);
    assert.deepEqual(rules, read(await readFile(path, 'utf8')));
  });
}

test('the gate sees a planted rule without a test, a stale entry and a name that is no rule', () => {
  const rules = ['R-1.1', 'R-1.2a', 'R-1.3'];
  const entry = (rule: string): NotYet => ({ rule, since: '2026-11-21', reason: 'planted', issue: 1 });
  const sources = ["test('a [R-1.1] [A-3]', () => {});", 'test(`b [R-1.2a]`, () => {});'];
  const none = { missing: [], stale: [], unknown: [] };
  assert.deepEqual(judgeRules(rules, [entry('R-1.3')], sources), none);
  assert.deepEqual(judgeRules(rules, [], sources), { ...none, missing: ['R-1.3'] });
  assert.deepEqual(judgeRules(rules, [entry('R-1.3'), entry('R-1.1')], sources), { ...none, stale: ['R-1.1'] });
  assert.deepEqual(judgeRules(rules, [entry('R-1.3'), entry('R-9.9')], sources), { ...none, unknown: ['R-9.9'] });
  const typo = [...sources, "test('c [R-1.4]', () => {});"];
  assert.deepEqual(judgeRules(rules, [entry('R-1.3')], typo), { ...none, unknown: ['R-1.4'] });
});

test('comments and tests that do not run name no rule', () => {
  const idle = ['// [R-1.1]', '/* [R-1.1] */', "test.skip('a [R-1.1]', () => {});", "test.todo(\n  'a [R-1.1]',\n);"];
  for (const source of [...idle, "test('a R-1.1', () => {});"]) {
    assert.deepEqual(rulesNamedIn(source), [], source);
  }
  assert.deepEqual(rulesNamedIn("test('a [Q-1.10][R-1.1]', () => {});"), ['Q-1.10', 'R-1.1']);
  assert.deepEqual(rulesNamedIn("test(\n  'a [R-1.1]',\n  { skip: needs('chromium') },\n);"), ['R-1.1']);
});

test('the table’s rows are read', () => {
  const table =
    '# Rules\n\n| id | who | level | rule |\n|---|---|---|---|\n| R-1.2 | client, AS | S | One `a | b`. |\n';
  assert.deepEqual(rulesInTable(table), [{ id: 'R-1.2', who: 'client, AS', level: 'S', rule: 'One `a | b`.' }]);
  const newer = '| Q-6.9 | client, AS | – | N | Nothing `a | b`. | G,V | – | bridge y, call n |\n| Q-7 | no | row |\n';
  assert.deepEqual(newerRulesInTable(newer), [
    { id: 'Q-6.9', who: 'client, AS', level: '–', rule: 'Nothing `a | b`.' },
  ]);
});
