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
  services: [],
  files: ['/home/a/.local/state/postern/logins.json'],
} as unknown as Written;

test('what uninstall would take back is shown whole at forty columns, with a blank line between its parts', () => {
  assert.deepEqual(planLines(written, { width: 40, color: false }), [
    'This is what postern wrote here:',
    '',
    'Logins, revoked at their authorization',
    'servers',
    '  work',
    '      https://mcp.example/mcp',
    '  a-name-that-is-rather-long (account 工作)',
    '      https://mcp.example/mcp',
    '',
    'Logins at companies’ providers, revoked',
    'there',
    '  https://idp.example',
    '      alice',
    '  https://idp.example (account away)',
    '',
    'Kept with them',
    '  1 client registration',
    '',
    'Files and folders of postern itself',
    '  /home/a/.local/state/postern/logins.json',
  ]);
});
