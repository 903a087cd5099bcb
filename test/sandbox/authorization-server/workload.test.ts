import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { readClients } from '../../../src/sandbox/read-clients.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';

const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const clients = readClients(
  new TextEncoder().encode('[{"client_id": "job", "workload": "a"}, {"client_id": "other", "workload": "b"}]'),
);

const signed = async ({ issuer }: Sandbox, query: Readonly<Record<string, string>> = {}) =>
  (await (await fetch(`${issuer}/workload/token?${new URLSearchParams(query)}`)).text()).trim();

async function ask({ issuer, serverUrl }: Sandbox, fields: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ resource: serverUrl, ...fields });
  const response = await fetch(`${issuer}/token`, { method: 'POST', body });
  const { access_token, error } = (await response.json()) as Record<string, unknown>;
  return error ?? typeof access_token;
}

test('a platform’s token is exchanged, or authenticates its client; the metadata lists the grant where a client has it', async () => {
  await using sandbox = await startSandbox({ clients });
  const assertion = await signed(sandbox);
  assert.equal(await ask(sandbox, { grant_type: bearer, client_id: 'job', assertion }), 'string');
  const proof = { client_id: 'job', client_assertion: assertion, client_assertion_type: type };
  assert.equal(await ask(sandbox, { grant_type: 'client_credentials', ...proof }), 'string');
  const metadata = await (await fetch(`${sandbox.issuer}/.well-known/oauth-authorization-server`)).json();
  assert.ok((metadata as { grant_types_supported: string[] }).grant_types_supported.includes(bearer));
  assert.equal(await ask(sandbox, { grant_type: bearer, assertion, ...proof }), 'invalid_request', 'never both');
});

test('[A-62] whoever else’s token, for whomever else, is refused', async () => {
  await using sandbox = await startSandbox({ clients });
  const { issuer } = sandbox;
  const { privateKey } = await generateKeyPair('ES256');
  const forged = await new SignJWT({ jti: '1' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(`${issuer}/workload`)
    .setSubject('a')
    .setAudience(issuer)
    .setExpirationTime('5m')
    .sign(privateKey);
  for (const assertion of [
    '',
    'x',
    forged,
    await signed(sandbox, { subject: 'b' }),
    await signed(sandbox, { audience: `${issuer}/` }),
    await signed(sandbox, { audience: sandbox.serverUrl }),
  ]) {
    assert.equal(await ask(sandbox, { grant_type: bearer, client_id: 'job', assertion }), 'invalid_grant', assertion);
  }
  const good = await signed(sandbox);
  assert.equal(await ask(sandbox, { grant_type: bearer, client_id: 'other', assertion: good }), 'invalid_grant');
  assert.equal(await ask(sandbox, { grant_type: bearer, client_id: 'nobody', assertion: good }), 'invalid_grant');
  assert.equal(await ask(sandbox, { grant_type: 'client_credentials', client_id: 'job' }), 'invalid_client');
});
