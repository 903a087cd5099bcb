import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../../../src/app/help/help.js';
import { welcome } from '../../../src/app/help/welcome.js';
import type { LoginRecord } from '../../../src/core/records.js';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';

const login = { name: 'work', server: 'https://example.com/mcp' } as LoginRecord;

const textOf = (logins: readonly LoginRecord[] | undefined, width = 80) =>
  welcome({ width, color: false }, logins).join('\n');

test('postern alone leads who has no login to one', () => {
  const text = textOf([]);
  assert.match(
    text,
    /^No logins yet\n {2}postern login https:\S+ .*\n {2}postern setup --list .*\n {2}postern sandbox /m,
  );
  assert.match(text, /All commands: postern --help$/);
});

test('postern alone shows the logins, which of them need a person, and what to type with the first', () => {
  const unnamed = { server: 'https://b.example/mcp?a=1&b=\u001b[31m', dead: true } as unknown as LoginRecord;
  const text = textOf([login, unnamed]);
  assert.match(text, /^Your logins\n {2}work +https:\/\/example\.com\/mcp$/m);
  assert.match(text, /needs a new login$/m);
  assert.match(text, /^ {2}postern call work +its tools$/m);
  assert.ok(!text.includes('\u001b'));
  assert.match(textOf([unnamed]), /^ {2}postern call 'https:\/\/b\.example\/mcp\?a=1&b=/m);
});

test('of many logins postern alone shows ten, and it fits each terminal', () => {
  const many = Array.from({ length: 14 }, (_, at) => ({ ...login, name: `login-number-${at}` }));
  assert.match(textOf(many), /login-number-9 .*\n {2}and 4 more: postern status\n/);
  for (const width of [40, 80, 200]) {
    for (const line of textOf(many, width).split('\n')) assert.ok(columnsOf(line) <= width, line);
  }
});

test('a list of logins that cannot be read is no reason to fail, and is told', async () => {
  const unreadable = () => ({ read: async () => Promise.reject(new Error('it is damaged')) });
  assert.match(await greet(plainLook, unreadable), /cannot be read\n {2}postern status +say why\n/);
});
