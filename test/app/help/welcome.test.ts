import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../../../src/app/help/help.js';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';
import { loginRecord } from '../../login/status/login-record.js';
import type { LoginRecord } from '../../support/product.js';

const now = Date.UTC(2026, 10, 23);

const login = loginRecord({ name: 'work', server: 'https://example.com/mcp' });

const textOf = async (logins: readonly LoginRecord[], width = 80) =>
  await greet({ width, color: false }, () => ({
    index: { read: async () => ({ logins }) },
    clock: { now: () => now },
  }));

test('postern alone shows the logins, which of them need a person, and what to type with the first', async () => {
  const unnamed = loginRecord({ server: 'https://b.example/mcp?a=1&b=\u001b[31m', dead: true });
  const text = await textOf([login, unnamed]);
  assert.match(text, /^work +✓ \S.* example\.com\/mcp$/m);
  assert.match(text, /✗ refused$/m);
  assert.match(text, /^ {2}postern call work +its tools$/m);
  assert.ok(!text.includes('\u001b'));
  const odd = loginRecord({ server: 'https://b.example/mcp?a=1&b=\u001b[31m' });
  assert.match(await textOf([odd]), /^ {2}postern call 'https:\/\/b\.example\/mcp\?a=1&b=/m);
});

test('what repairs a login stands before what to type next, whether it was refused or has run out', async () => {
  const expired = loginRecord({ name: 'old', refreshable: false, expiresAt: now - 1 });
  const text = await textOf([expired, login, loginRecord({ name: 'gone', dead: true })]);
  assert.match(
    text,
    /^To log in again:\n {2}postern login old\n {2}postern login gone\n\nNext\n {2}postern call work /m,
  );
});

test('of many logins postern alone shows ten, and it fits each terminal', async () => {
  const many = Array.from({ length: 14 }, (_, at) => ({ ...login, name: `login-number-${at}` }));
  assert.match(await textOf(many), /login-number-9 .*\n\nAnd 4 more: postern status\n/);
  const ended = { ...login, name: 'a-long-name-of-the-data-team', dead: true as const };
  for (const logins of [many, [login, ended]]) {
    for (const width of [40, 200]) {
      const lines = (await textOf(logins, width)).split('\n').filter((one) => !/^ *postern/.test(one));
      for (const line of lines) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
    }
  }
});

test('a list of logins that cannot be read is no reason to fail, and is shown', async () => {
  const unreadable = () => ({
    index: { read: async () => Promise.reject(new Error('it is damaged')) },
    clock: { now: () => now },
  });
  assert.match(await greet(plainLook, unreadable), /cannot be read\n {2}postern status +say why\n/);
});
