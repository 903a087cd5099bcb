import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';
import { labelledLines, loginStatus } from '../../../src/login/status/login-status.js';
import { rowOf, shortSpan, type TableLook, tableOf } from '../../../src/login/status/status-table.js';
import { loginRecord } from './login-record.js';

const now = Date.UTC(2026, 10, 23);
const minute = 60_000;
const day = 24 * 60 * minute;

const wide = { look: { width: 120, color: false }, isTerminal: true };

const row = (changes: Readonly<Record<string, unknown>>, isDefault = false, table: TableLook = wide) =>
  rowOf(table, { status: loginStatus(loginRecord(changes), now), isDefault, now });

const at = (width: number): TableLook => ({ look: { width, color: false }, isTerminal: true });

const drawn = (width: number, logins: readonly Readonly<Record<string, unknown>>[]) =>
  tableOf(
    at(width),
    logins.map((one) => row(one, false, at(width))),
  );

test('the state of a login is told in words, with what to type where only a person helps', () => {
  const states = [
    { refreshable: true, expiresAt: now + 52 * minute },
    { refreshable: false, expiresAt: now + 52 * minute },
    { refreshable: false, expiresAt: null },
    { refreshable: true, expiresAt: now - minute },
    { authorizationExpiresAt: now + 6 * day },
    { authorizationExpiresAt: now + 8 * day },
    { expiresAt: now - minute, refreshExpiresAt: now + 6 * day, obtainedAt: now - 24 * day },
    { refreshExpiresAt: now + 6 * day },
    { expiresAt: now - minute, refreshExpiresAt: now - minute },
    { refreshable: false, expiresAt: now - minute },
    { dead: true },
    { gone: true },
  ].map((changes) => row({ name: 'work', ...changes }).state);
  assert.deepEqual(
    states.map(({ text, command }) => [text, ...(command === undefined ? [] : [command])]),
    [
      ['ok, 52 min'],
      ['ok, 52 min, then log in'],
      ['ok'],
      ['refreshes by itself'],
      ['ok, log in again within 6 days', 'postern login work'],
      ['ok, 60 min'],
      ['ok, use it or log in again within 6 days', 'postern login work'],
      ['ok, 60 min'],
      ['expired', 'postern login work'],
      ['expired', 'postern login work'],
      ['refused', 'postern login work'],
      ['ended', 'postern login work'],
    ],
  );
});

test('the command stands in its cell where nothing has to be cut for it, and else below the table, to be copied', () => {
  const dead = { name: 'work', dead: true };
  assert.deepEqual(drawn(80, [dead]), [
    ['NAME  SERVER           STATE', 'work  mcp.example/mcp  ✗ refused: postern login work'],
    [],
  ]);
  const scoped = { ...dead, askedScopes: ['notes:read', 'notes:write'] };
  assert.deepEqual(drawn(50, [dead, scoped]), [
    [
      'NAME  SERVER           STATE',
      'work  mcp.example/mcp  ✗ refused, see below',
      'work  mcp.example/mcp  ✗ refused, see below',
    ],
    ['To log in again:', '  postern login work', "postern login work --scope 'notes:read notes:write'"],
  ]);
});

test('on a narrow terminal no column is dropped: server and who stand below the name', () => {
  const project = (name: string, id: string, more = {}) => ({
    name,
    server: `https://mcp.projects.example/mcp?project_ref=${id}`,
    ...more,
  });
  const logins = [
    project('production', 'abcdefghijkl', { identity: 'ada@b.example' }),
    project('staging', 'mnopqrstuvwx', { dead: true }),
  ];
  assert.deepEqual(drawn(40, logins), [
    [
      'NAME        STATE',
      'production  ✓ ok, 60 min',
      '    mcp.projects.example/…f=abcdefghijkl',
      '    ada@b.example',
      'staging     ✗ refused, see below',
      '    mcp.projects.example/…f=mnopqrstuvwx',
    ],
    ['To log in again:', '  postern login staging'],
  ]);
  assert.deepEqual(drawn(40, [{ server: 'https://mcp.a-rather-long-name.example/mcp', dead: true }])[0], [
    'NAME',
    'mcp.a-rather-long-name.example/mcp',
    '    ✗ refused, see below',
  ]);
});

test('on a narrow terminal a name is whole: where one has no room beside its state, each has a line of its own', () => {
  const name = 'a-rather-long-name-of-a-login';
  assert.deepEqual(drawn(40, [{ name, dead: true }, { name: 'work' }])[0], [
    'NAME',
    name,
    '    ✗ refused, see below',
    '    mcp.example/mcp',
    'work',
    '    ✓ ok, 60 min',
    '    mcp.example/mcp',
  ]);
  assert.deepEqual(drawn(40, [{ name: 'n'.repeat(63) }])[0].slice(1, 3), ['n'.repeat(40), 'n'.repeat(23)]);
});

test('two projects at one server are told apart where their addresses are cut', () => {
  const servers = ['abcdefghijkl', 'mnopqrstuvwx'].map((id) => ({
    name: 'work',
    server: `https://mcp.projects.example/mcp?project_ref=${id}`,
  }));
  for (let width = 40; width <= 200; width += 1) {
    const [lines] = drawn(width, servers);
    const half = (lines.length - 1) / 2;
    assert.notDeepEqual(lines.slice(1, 1 + half), lines.slice(1 + half), `at ${width}`);
  }
});

test('who is the identity, the account where it is not the usual one, and * where it is the one taken', () => {
  assert.equal(row({ identity: 'a@b.example' }).who, 'a@b.example');
  assert.equal(row({ account: 'me' }, true).who, '* account me');
  assert.equal(row({ identity: 'a\u001b[31m', account: 'me' }).who, 'a\\x1b[31m, account me');
});

test('a pipe gets every cell whole, one line a login, and the time itself, which is the same whenever it is read', () => {
  const server = `https://${'long.'.repeat(30)}example/mcp`;
  const pipe = { look: plainLook, isTerminal: false };
  const rows = [row({ name: 'work', server }, false, pipe), row({}, false, pipe), row({ dead: true }, false, pipe)];
  const [[first, second, third, ...others], commands] = tableOf(pipe, rows);
  assert.deepEqual([others, commands], [[], []]);
  assert.match(third ?? '', /refused: postern login https:/);
  assert.match(first ?? '', /^work +https:\/\/(?:long\.){30}example\/mcp +- +ok until 2026-11-23T01:00:00.000Z$/);
  assert.match(second ?? '', /^- +https:\/\/mcp\.example\/mcp +- +ok until 2026-11-23T01:00:00.000Z$/);
  for (const table of [pipe, wide]) assert.deepEqual(tableOf(table, []), [[], []], 'no heading over nothing');
});

test('at a terminal of 40 to 200 columns every line fits, the state is whole, and no login’s server or person is left out', () => {
  const words = fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', '.', '-', '字') });
  const login = fc.record({
    name: fc.option(fc.stringMatching(/^[a-z]{1,63}$/), { nil: undefined }),
    server: words.map((text) => `https://${text.replaceAll('字', 'x')}.example/mcp`),
    identity: fc.option(words, { nil: undefined }),
    expiresAt: fc.integer({ min: now - 1000 * minute, max: now + 100_000 * minute }),
    refreshable: fc.boolean(),
    dead: fc.boolean(),
  });
  const given = fc.tuple(fc.array(login, { minLength: 1, maxLength: 6 }), fc.integer({ min: 40, max: 200 }));
  fc.assert(
    fc.property(given, ([logins, width]) => {
      const rows = logins.map((one) => row(one, false, at(width)));
      const [[heading = '', ...lines]] = tableOf(at(width), rows);
      for (const line of [heading, ...lines]) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
      const isOneLine = heading.includes('SERVER');
      const isBeside = heading.includes('STATE');
      const ofState = /^ {4}[✓✗-] /;
      const heads = lines.filter((line) => isOneLine || (isBeside ? !line.startsWith('    ') : ofState.test(line)));
      assert.equal(heads.length, logins.length);
      for (const [index, line] of heads.entries()) {
        assert.ok(line.includes(`${rows[index]?.state.mark} ${rows[index]?.state.text}`), line);
      }
      if (!isOneLine) {
        const names = rows.map(({ name, server }) => (name === '' ? server.replace(/^https:\/\//, '') : name));
        for (const name of names) assert.ok(lines.join('').includes(name), `${name} is cut: ${lines.join('\n')}`);
      }
      const below = rows.filter(({ name, who }) => name !== '' || who !== '').length;
      assert.ok(isOneLine || lines.length >= logins.length + below, `nothing below: ${lines.join('\n')}`);
    }),
  );
});

test('one long name takes neither the servers of all out of a narrow table, nor the names', () => {
  const logins = [{ name: 'work', dead: true }, { name: 'localhost-alice-a-long-company-name.example' }].map((one) => ({
    server: 'http://127.0.0.1:41200/mcp',
    ...one,
  }));
  assert.deepEqual(drawn(80, logins), [
    [
      'NAME                            SERVER                      STATE',
      'work                            http://127.0.0.1:41200/mcp  ✗ refused, see below',
      'localhost-alice-a-long-compan…  http://127.0.0.1:41200/mcp  ✓ ok, 60 min',
    ],
    ['To log in again:', '  postern login work'],
  ]);
});

test('spans are short', () => {
  assert.deepEqual([0, 59_999, 119 * minute, 120 * minute, 48 * 60 * minute, 1e12].map(shortSpan), [
    '0 s',
    '59 s',
    '119 min',
    '2 h',
    '2 days',
    '11574 days',
  ]);
});

test('a value that has no room beside its label stands below it, and an identifier is broken where it has to be', () => {
  const id = 'pooqshychucrVp9wGo2rWrov-_HKWnTAqNh_pigM7rX';
  const lines = (width: number) => labelledLines({ width, color: false }, [['client', `${id} (by hand)`]]);
  assert.deepEqual(lines(80), [`  client      ${id} (by hand)`]);
  assert.deepEqual(lines(50), ['  client', `    ${id}`, '    (by hand)']);
  assert.deepEqual(lines(40), ['  client', `    ${id.slice(0, 36)}`, `    ${id.slice(36)} (by hand)`]);
  assert.deepEqual(labelledLines(plainLook, [['client', 'x'.repeat(90)]]), [`  client      ${'x'.repeat(90)}`]);
});

test('a command that has no room beside its label stands whole below it, in a pipe beside it', () => {
  const command = 'postern logout --idp http://127.0.0.1:45678';
  const lines = (width: number, text: string) => labelledLines({ width, color: false }, [['end it by', text]]);
  assert.deepEqual(lines(80, command), [`  end it by   ${command}`]);
  assert.deepEqual(lines(40, command), ['  end it by', command]);
  assert.deepEqual(lines(40, 'refused; to mend it: postern login work --account me'), [
    '  end it by   refused; to mend it:',
    '    postern login work --account me',
  ]);
  assert.deepEqual(labelledLines(plainLook, [['end it by', command]]), [`  end it by   ${command}`]);
});
