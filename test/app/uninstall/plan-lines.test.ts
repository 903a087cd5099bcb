import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Written } from '../../../src/app/uninstall/plan.js';
import { planLines } from '../../../src/app/uninstall/render.js';
import { loginRecord } from '../../login/status/login-record.js';

const written = {
  entries: [],
  shims: [],
  logins: [loginRecord({ name: 'work' }), loginRecord({ name: 'a-name-that-is-rather-long', account: '工作' })],
  providers: [
    { issuer: 'https://idp.example', account: 'default', identity: 'alice' },
    { issuer: 'https://idp.example', account: 'away' },
  ],
  registrations: 1,
  clientKeys: [],
  orphans: 0,
  files: ['logins.json', 'locks', 'sealed', 'attempts.json'].map((name) => `/home/a/.local/state/postern/${name}`),
} as unknown as Written;

test('what uninstall would take back is shown whole at forty columns', () => {
  const lines = planLines(written, { width: 40, color: false });
  const shown = lines.map((line) => line.trim());
  for (const whole of [
    'work',
    'https://mcp.example/mcp',
    'https://idp.example',
    'alice',
    '/home/a/.local/state/postern',
  ])
    assert.ok(shown.includes(whole), whole);
  assert.match(
    shown.join(' '),
    /\(account 工作\).*\(account away\).*\b1 client registration\b.* logins\.json, locks, sealed, attempts\.json$/,
  );
});

test('logins stand in columns where all of them have room, and else all of them with the address below', () => {
  const logins = [loginRecord({ name: 'work' }), loginRecord({ name: 'x'.repeat(60) })];
  const shown = (width: number) =>
    planLines({ ...written, logins, providers: [] }, { width, color: false }).slice(3, 7);
  assert.match(shown(120)[0] ?? '', /^ {2}work {58}https:/);
  assert.deepEqual(shown(70), [
    '  work',
    '      https://mcp.example/mcp',
    `  ${'x'.repeat(60)}`,
    '      https://mcp.example/mcp',
  ]);
});
