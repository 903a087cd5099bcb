import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet, welcome } from '../../../src/app/help/help.js';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';
import { loginStatus } from '../../../src/login/status/login-status.js';
import { loginRecord } from '../../login/status/login-record.js';
import type { LoginRecord } from '../../support/product.js';

const now = Date.UTC(2026, 10, 23);

const login = loginRecord({ name: 'work', server: 'https://example.com/mcp' });

const textOf = (logins: readonly LoginRecord[] | undefined, width = 80) =>
  welcome(
    { width, color: false },
    logins?.map((one) => loginStatus(one, now)),
  ).join('\n');

test('postern alone leads who has no login to one', () => {
  const text = textOf([]);
  assert.match(
    text,
    /^No logins yet\n {2}postern login https:\S+ .*\n {2}postern setup --list .*\n {2}postern sandbox /m,
  );
  assert.match(text, /All commands: postern --help$/);
});

test('postern alone shows the logins, which of them need a person, and what to type with the first', () => {
  const unnamed = loginRecord({ server: 'https://b.example/mcp?a=1&b=\u001b[31m', dead: true });
  const text = textOf([login, unnamed]);
  assert.match(text, /^Your logins\n {2}work +example\.com\/mcp$/m);
  assert.match(text, /needs a new login$/m);
  assert.match(text, /^ {2}postern call work +its tools$/m);
  assert.ok(!text.includes('\u001b'));
  const odd = loginRecord({ server: 'https://b.example/mcp?a=1&b=\u001b[31m' });
  assert.match(textOf([odd]), /^ {2}postern call 'https:\/\/b\.example\/mcp\?a=1&b=/m);
});

test('what mends a login stands first in what to type next, whether it was refused or has run out', () => {
  const expired = loginRecord({ name: 'old', refreshable: false, expiresAt: now - 1 });
  assert.match(
    textOf([expired, login]),
    /old +\S+ +needs a new login\n[\s\S]*Next\n {2}postern login old +log in again\n {2}postern call work +its tools\n/,
  );
  const two = textOf([expired, loginRecord({ name: 'gone', dead: true })]);
  assert.match(two, /Next\n {2}postern login --expired .*\b2\b.*\n {2}postern setup/);
});

test('of many logins postern alone shows ten, and it fits each terminal', () => {
  const many = Array.from({ length: 14 }, (_, at) => ({ ...login, name: `login-number-${at}` }));
  assert.match(textOf(many), /login-number-9 .*\n {2}and 4 more: postern status\n/);
  const ended = { ...login, name: 'a-long-name-of-the-data-team', dead: true as const };
  for (const logins of [many, [login, ended]]) {
    for (const width of [40, 200]) {
      for (const line of textOf(logins, width)
        .split('\n')
        .filter((one) => !/^ *postern/.test(one))) {
        assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
      }
    }
  }
});

test('a list of logins that cannot be read is no reason to fail, and is told', async () => {
  const unreadable = () => ({
    index: { read: async () => Promise.reject(new Error('it is damaged')) },
    clock: { now: () => now },
  });
  assert.match(await greet(plainLook, unreadable), /cannot be read\n {2}postern status +say why\n/);
});
