import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findingOfLogin } from '../../src/doctor/finding-of-failure.js';
import { Failure, type Step } from '../support/product.js';
import { repositoryRoot } from '../support/repository.js';

/** Failures of the login's rooms that a login for a run does not end with, or that this machine alone is the cause of. */
const others: ReadonlySet<string> = new Set([
  ...['assertion_unusable', 'assertion_refused'], // of a machine's own login
  // of a login by a company's provider
  ...['login_expired', 'provider_refused', 'id_jag_unusable', 'provider_is_issuer', 'store_refused', 'login_needed'],
  ...['usage', 'client_key_unusable', 'client_metadata_url_refused', 'header_refused', 'method_refused'],
  ...[
    'store_failed',
    'too_many_logins',
    'name_unusable',
    'name_taken',
    'not_confirmed',
    'no_servers_there',
    'server_not_there',
    'interrupted',
  ],
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

/** The codes that the rooms of a login fail with. */
async function codesOfLogin(): Promise<ReadonlySet<string>> {
  const folder = join(repositoryRoot, 'src');
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => /^(?:login|oauth|http)\b.*failures\.ts$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const codes = texts.join('').matchAll(/(?:code: |rulesBroken\(|failure\([\w.]+, |refused\()'([a-z_]+)'/g);
  return new Set([...codes].map(([, code = '']) => code));
}

test('doctor: each failure of a login has a finding of its own', async () => {
  const redeem: Step = { name: 'redeem', asked: '', came: '', rule: '', verdict: 'failure' };
  const codes = await codesOfLogin();
  assert.ok(codes.size > 40, `${codes.size} codes`);
  for (const code of codes) {
    const failure = new Failure({ code, exit: 4, message: 'It is.', remedy: 'Do.' });
    if (!others.has(code)) assert.notEqual(findingOfLogin(failure, [redeem], true), 'login-failed', code);
  }
});
