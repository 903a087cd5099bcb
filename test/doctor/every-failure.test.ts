import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingOfLogin } from '../../src/doctor/finding-of-failure.js';
import { everyRemedy } from '../app/every-remedy.js';
import type { Step } from '../support/product.js';

/** Failures of the login's rooms that a login for a run does not end with, or that this machine alone is the cause of. */
const others: ReadonlySet<string> = new Set([
  ...['assertion_unusable', 'assertion_refused'], // of a machine's own login
  // of a login by a company's provider
  ...['login_expired', 'provider_refused', 'id_jag_unusable', 'provider_is_issuer', 'store_refused', 'login_needed'],
  ...['usage', 'client_key_unusable', 'client_metadata_url_refused', 'header_refused', 'method_refused'],
  ...['name_unusable', 'name_taken', 'not_confirmed', 'no_servers_there', 'server_not_there', 'interrupted'],
  ...[
    'login_ambiguous',
    'login_not_offered',
    'network_setting_unusable',
    'authorization_server_changed',
    'endpoints_moved',
  ],
  // What the passive half has found: no login is begun then.
  ...['challenge_unusable', 'wrong_address', 'resource_mismatch', 'pkce_missing', 'capability_missing'],
]);

test('doctor: each failure of a login has a finding of its own', async () => {
  const redeem: Step = { name: 'redeem', asked: '', came: '', rule: '', verdict: 'failure' };
  const made = (await everyRemedy()).filter(({ file }) => /^(?:login|oauth|http)\//.test(file));
  const codes = new Map(made.flatMap(({ failure }) => (failure ? [[failure.code, failure] as const] : [])));
  assert.ok(codes.size > 40, `${codes.size} codes`);
  for (const [code, failure] of codes) {
    if (!others.has(code)) assert.notEqual(findingOfLogin(failure, [redeem], true), 'login-failed', code);
  }
});
