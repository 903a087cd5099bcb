import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';
import { labelledLines, loginStatus } from '../../../src/login/status/login-status.js';
import { statusBlocks } from '../../../src/login/status/status-table.js';
import { loginRecord } from './login-record.js';

const now = Date.UTC(2026, 10, 23);
const minute = 60_000;
const day = 24 * 60 * minute;

type Changes = Readonly<Record<string, unknown>>;

const drawn = (width: number | 'pipe', logins: readonly Changes[], isDefault = false) =>
  statusBlocks(
    width === 'pipe'
      ? { out: { isTerminal: false }, look: plainLook }
      : { out: { isTerminal: true }, look: { width, color: false } },
    logins.map((changes) => ({ status: loginStatus(loginRecord(changes), now), isDefault, checked: undefined })),
    now,
  );

test('the state of a login is told in words, with what to type where only a person helps', () => {
  const states = [
    { refreshable: true, expiresAt: now + 52 * minute },
    { refreshable: false, expiresAt: now + 52 * minute },
    { refreshable: false, expiresAt: null },
    { refreshable: true, expiresAt: now - minute },
    { authorizationExpiresAt: now + 6 * day },
    { authorizationExpiresAt: now + 8 * day, expiresAt: now + 59_999 },
    { expiresAt: now - minute, refreshExpiresAt: now + 6 * day, obtainedAt: now - 24 * day },
    { refreshExpiresAt: now + 6 * day, expiresAt: now + 120 * minute },
    { expiresAt: now - minute, refreshExpiresAt: now - minute },
    { refreshable: false, expiresAt: now - minute },
    { dead: true },
    { gone: true },
  ].map((changes) => {
    const [table = [], commands = []] = drawn(120, [{ name: 'work', ...changes }]);
    return [/^work {2}(.*?) {2,}mcp\.example\/mcp$/.exec(table[1] ?? '')?.[1], ...commands.slice(1)];
  });
  const again = '  postern login work';
  assert.deepEqual(states, [
    ['✓ ok, 52 min'],
    ['✓ ok, 52 min, then log in'],
    ['✓ ok'],
    ['✓ refreshes by itself'],
    ['✓ ok, log in again within 6 days', again],
    ['✓ ok, 59 s'],
    ['✓ ok, use it or log in again within 6 days', again],
    ['✓ ok, 2 h'],
    ['✗ expired', again],
    ['✗ expired', again],
    ['✗ refused', again],
    ['✗ ended', again],
  ]);
});

test('the commands that mend logins stand below the table, to be copied; a pipe gets the same, without heading, uncut', () => {
  const logins = [{ name: 'work', dead: true, askedScopes: ['notes:read', 'notes:write'] }, { name: 'home' }];
  const rows = ['work  ✗ refused     mcp.example/mcp', 'home  ✓ ok, 60 min  mcp.example/mcp'];
  const again = "postern login work --scope 'notes:read notes:write'";
  assert.deepEqual(drawn(50, logins), [
    ['NAME  STATE         SERVER', ...rows],
    ['To log in again:', again],
  ]);
  assert.deepEqual(drawn('pipe', logins), [rows, ['To log in again:', `  ${again}`]]);
  const server = `https://${'long.'.repeat(30)}example/mcp`;
  const [[long = ''] = []] = drawn('pipe', [{ server, account: 'me' }], true);
  assert.match(long, /^(?:long\.){30}example\/mcp {2}✓ ok, 60 min {2}\* account me$/);
  for (const width of ['pipe', 80] as const) assert.deepEqual(drawn(width, []), [], 'no heading over nothing');
});

test('who is the identity, the account where it is not the usual one, and * where it is the one taken', () => {
  const who = (changes: Changes, isDefault = false) => drawn('pipe', [changes], isDefault)[0]?.[0]?.split(/ {2,}/)[2];
  assert.equal(who({ identity: 'a@b.example' }), 'a@b.example');
  assert.equal(who({ account: 'me' }, true), '* account me');
  assert.equal(who({ identity: 'a\u001b[31m', account: 'me' }), 'a\\x1b[31m, account me');
});

test('at a terminal of 40 to 200 columns every line fits, and no login’s name, state, server or person is left out', () => {
  const words = fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', '.', '-', '字') });
  const login = fc.record({
    name: fc.stringMatching(/^[a-z]{1,36}$/),
    server: words.map((text) => `https://${text.replaceAll('字', 'x')}.example/mcp`),
    identity: fc.option(words, { nil: undefined }),
    expiresAt: fc.integer({ min: now - 1000 * minute, max: now + 100_000 * minute }),
    refreshable: fc.boolean(),
    dead: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(login, { minLength: 1, maxLength: 6 }), fc.integer({ min: 40, max: 200 }), (logins, width) => {
      const [table = []] = drawn(width, logins);
      for (const line of table) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
      const all = table.join('').replaceAll(' ', '');
      for (const { name, server, identity = '' } of logins) {
        for (const part of [name, server.replace('https://', ''), identity]) assert.ok(all.includes(part), all);
      }
      assert.equal(all.match(/[✓✗]/g)?.length, logins.length);
    }),
  );
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
  assert.deepEqual(lines(40, 'refused; to fix it: postern login work --account me'), [
    '  end it by   refused; to fix it:',
    '    postern login work --account me',
  ]);
  assert.deepEqual(labelledLines(plainLook, [['end it by', command]]), [`  end it by   ${command}`]);
});
