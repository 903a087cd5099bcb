import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';
import { labelledLines, loginStatus } from '../../../src/login/status/login-status.js';
import {
  commandLines,
  proxyLine,
  rowOf,
  shortSpan,
  type TableLook,
  tableLines,
} from '../../../src/login/status/status-table.js';
import { loginRecord } from './login-record.js';

const now = Date.UTC(2026, 10, 23);
const minute = 60_000;

const wide = { look: { width: 120, color: false }, isTerminal: true };

const row = (changes: Readonly<Record<string, unknown>>, isDefault = false, table: TableLook = wide) =>
  rowOf(table, { status: loginStatus(loginRecord(changes), now), isDefault, now });

test('the state of a login is told in words, with what to type where only a person helps', () => {
  const texts = [
    { refreshable: true, expiresAt: now + 52 * minute },
    { refreshable: false, expiresAt: now + 52 * minute },
    { refreshable: false, expiresAt: null },
    { refreshable: true, expiresAt: now - minute },
    { refreshable: false, expiresAt: now - minute },
    { dead: true },
    { gone: true },
    { dead: true, askedScopes: ['notes:read', 'notes:write'] },
  ].map((changes) => row({ name: 'work', ...changes }).state.text);
  assert.deepEqual(texts, [
    'ok, 52 min',
    'ok, 52 min, then log in',
    'ok',
    'refreshes by itself',
    'expired: postern login work',
    'refused: postern login work',
    'ended: postern login work',
    'refused, see below',
  ]);
  const dead = loginStatus(loginRecord({ name: 'work', dead: true, askedScopes: ['notes:read', 'notes:write'] }), now);
  assert.deepEqual(commandLines(wide, [dead]), [
    'To log in again:',
    "  postern login work --scope 'notes:read notes:write'",
  ]);
});

test('who is the identity, the account where it is not the usual one, and whether it is the default', () => {
  assert.equal(row({ identity: 'a@b.example' }).who, 'a@b.example');
  assert.equal(row({ account: 'me' }, true).who, 'account me (default)');
  assert.equal(row({ identity: 'a\u001b[31m', account: 'me' }).who, 'a\\x1b[31m, account me');
});

test('an installed proxy is told in a few words: in a pipe beside who it is, at a terminal below the table', () => {
  const proxy = {
    id: 'x',
    server: 'https://mcp.example/mcp',
    account: 'default',
    port: 42_123,
    mount: 'work',
    hosts: [],
  };
  const status = loginStatus(loginRecord({ name: 'work', identity: 'a@b.example' }), now);
  const pipe = { look: plainLook, isTerminal: false };
  assert.equal(rowOf(pipe, { status, isDefault: false, now, proxy }).who, 'a@b.example, proxy at 127.0.0.1:42123');
  assert.equal(
    rowOf(pipe, { status, isDefault: true, now, proxy }).who,
    'a@b.example (default), proxy at 127.0.0.1:42123',
    'the login is the default, not its proxy',
  );
  assert.equal(rowOf(wide, { status, isDefault: false, now, proxy }).who, 'a@b.example');
  assert.equal(proxyLine(status.login, proxy), 'Proxy for work: 127.0.0.1:42123');
  const unnamed = loginRecord({});
  assert.equal(
    proxyLine(unnamed, { ...proxy, hosts: ['cursor', 'warp\u001b[2J'] }),
    'Proxy for https://mcp.example/mcp: 127.0.0.1:42123 (cursor, warp\\x1b[2J)',
  );
});

test('a pipe gets every cell whole, one line a login, and the time itself, which is the same whenever it is read', () => {
  const server = `https://${'long.'.repeat(30)}example/mcp`;
  const pipe = { look: plainLook, isTerminal: false };
  const [first, second, ...others] = tableLines(pipe, [
    row({ name: 'work', server }, false, pipe),
    row({}, false, pipe),
  ]);
  assert.deepEqual(others, []);
  assert.match(first ?? '', /^work +https:\/\/(?:long\.){30}example\/mcp +- +ok until 2026-11-23T01:00:00.000Z$/);
  assert.match(second ?? '', /^- +https:\/\/mcp\.example\/mcp +- +ok until 2026-11-23T01:00:00.000Z$/);
  for (const table of [pipe, wide]) assert.deepEqual(tableLines(table, []), [], 'no heading over nothing');
});

test('at a terminal of 40 to 200 columns every line fits, and the state is whole', () => {
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
      const table = { look: { width, color: false }, isTerminal: true };
      const rows = logins.map((one) => row(one, false, table));
      const lines = tableLines(table, rows);
      assert.equal(lines.length, logins.length + 1);
      for (const [at, line] of lines.entries()) {
        assert.ok(columnsOf(line) <= width, `${columnsOf(line)} of ${width}: ${line}`);
        assert.ok(line.endsWith(rows[at - 1]?.state.text ?? 'STATE'), line);
      }
    }),
  );
});

test('one long name takes neither the servers of all out of a narrow table, nor the names', () => {
  const table = { look: { width: 80, color: false }, isTerminal: true };
  const lines = tableLines(
    table,
    [{ name: 'work', dead: true }, { name: 'localhost-alice-a-long-company-name.example' }].map((one) =>
      row({ server: 'http://127.0.0.1:41200/mcp', ...one }, false, table),
    ),
  );
  assert.deepEqual(lines, [
    'NAME                           SERVER              STATE',
    'work                           http://127.0.0.1:…  ✗ refused: postern login work',
    'localhost-alice-a-long-compa…  http://127.0.0.1:…  ✓ ok, 60 min',
  ]);
  const narrow = { look: { width: 40, color: false }, isTerminal: true };
  assert.equal(row({ name: 'work', dead: true }, false, narrow).state.text, 'refused, see below');
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
