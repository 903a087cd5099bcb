import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findingOfLogin } from '../../../src/doctor/finding-of-failure.js';
import { findings } from '../../../src/doctor/findings.js';
import { Failure, type Step } from '../../support/product.js';
import { repositoryRoot } from '../../support/repository.js';

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

const step = (name: string, came = ''): Step => ({ name, asked: '', came, rule: '', verdict: 'failure' });

const failureOf = (code: string) => new Failure({ code, exit: 4, message: 'It is.', remedy: 'Do.' });

/** The codes that the rooms of a login fail with. */
async function codesOfLogin(): Promise<ReadonlySet<string>> {
  const folder = join(repositoryRoot, 'src');
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => /^(?:login|oauth|http)\b.*failures\.ts$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return new Set(
    [...texts.join('').matchAll(/(?:code: |rulesBroken\(|failure\([\w.]+, |refused\()'([a-z_]+)'/g)].map(
      ([, code = '']) => code,
    ),
  );
}

test('doctor: each failure of a login has a finding of its own, and who has to act', async () => {
  const codes = await codesOfLogin();
  assert.ok(codes.size > 40, `${codes.size} codes`);
  const unknown = [...codes].filter((code) => {
    const id = findingOfLogin(failureOf(code), [step('redeem')], true);
    assert.ok(findings[id].who.length > 0);
    return id === 'login-failed' && !others.has(code);
  });
  assert.deepEqual(unknown, []);
});

test('doctor: what a code means depends on the request that it came of', () => {
  const found = (code: string, steps: readonly Step[], isRegisteredHere = true) =>
    findingOfLogin(failureOf(code), steps, isRegisteredHere);
  assert.equal(found('redirect_refused', [step('client-registration')]), 'registration-redirected');
  assert.equal(found('redirect_refused', [step('pushed-authorization')]), 'request-redirected');
  assert.equal(found('redirect_refused', [step('redeem')]), 'token-endpoint-redirected');
  assert.equal(found('network_failed', [step('unauthenticated-request')]), 'not-reachable');
  assert.equal(found('invalid_client', [step('redeem')]), 'client-refused');
  assert.equal(found('invalid_client', [step('redeem')], false), 'own-client-refused');
  assert.equal(found('login_timed_out', []), 'nobody-answered');
  assert.equal(found('login_timed_out', [step('callback')]), 'state-not-returned');
});
