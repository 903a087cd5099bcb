import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/core/text/json.js';
import { validateServerMetadata } from '../../src/oauth/server-metadata.js';

const issuer = 'https://as.example/t1';
const asked = {
  issuer,
  resource: 'https://api.example/mcp',
  zone: 'public',
  grant: 'authorization_code',
  url: 'https://as.example/.well-known/oauth-authorization-server/t1',
} as const;
const good: JsonObject = {
  issuer,
  authorization_endpoint: 'https://as.example/authorize',
  token_endpoint: 'https://as.example/token',
  code_challenge_methods_supported: ['S256'],
};

const judge = (change: JsonObject) => validateServerMetadata({ ...good, ...change }, asked);
const problem = async (change: JsonObject) => {
  const judged = judge(change);
  return judged.ok ? 'none' : judged.failure.code;
};

test('[A-37] an authorization endpoint may not bring parameters of our own request, or a fragment', async () => {
  for (const query of [
    'request_uri=x',
    'redirect_uri=https://evil.example',
    'response_mode=fragment',
    'client_id=x',
    'prompt=none',
    'resource=x',
    'state=x',
  ]) {
    assert.equal(
      await problem({ authorization_endpoint: `https://as.example/authorize?${query}` }),
      'metadata_unusable',
      query,
    );
  }
  assert.equal(await problem({ authorization_endpoint: 'https://as.example/authorize#x' }), 'metadata_unusable');
  assert.equal(await problem({ authorization_endpoint: 'https://as.example/authorize?tenant=7' }), 'none');
});

test('[R-5.8c][A-34][A-46][A-65][A-66] a needed endpoint that is no https URL ends the login; an unused one counts as absent', async () => {
  const hostile = [
    'http://as.example/token',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'smb://host/x',
    'a:$(calc.exe)',
    'https://as.example\\@evil.example/',
    'https://user:pw@as.example/',
    'https://h/`id`',
    'https://h/" & calc & "',
    '-https://as.example/',
    ' https://as.example/',
    `https://as.example/${'x'.repeat(2100)}`,
    ['https://as.example/token'],
    { toString: 'x' },
    7,
    '',
    null,
  ];
  for (const endpoint of hostile) {
    assert.equal(await problem({ token_endpoint: endpoint }), 'metadata_unusable', JSON.stringify(endpoint));
    assert.equal(await problem({ authorization_endpoint: endpoint }), 'metadata_unusable', JSON.stringify(endpoint));
    const judged = judge({ registration_endpoint: endpoint, revocation_endpoint: endpoint });
    assert.ok(judged.ok && judged.authorizationServer.registrationEndpoint === undefined);
    assert.equal(judged.authorizationServer.revocationEndpoint, undefined);
  }
});

test('[R-5.8c] plain http endpoints are for servers on loopback only', async () => {
  const local = { ...good, issuer: 'http://127.0.0.1:9/', token_endpoint: 'http://127.0.0.1:9/token' };
  const where = { ...asked, issuer: 'http://127.0.0.1:9/' };
  assert.ok(validateServerMetadata(local, { ...where, zone: 'loopback' }).ok);
  assert.ok(!validateServerMetadata(local, { ...where, zone: 'private' }).ok);
  assert.ok(!validateServerMetadata(local, { ...where, zone: 'public' }).ok);
});

test('what only an authorization request needs is asked for it alone: a code to type or a client’s own login goes without', async () => {
  const { authorization_endpoint: _page, code_challenge_methods_supported: _pkce, ...bare } = good;
  assert.equal(validateServerMetadata(bare, asked).ok, false);
  const lists = { response_types_supported: [], response_modes_supported: [], authorization_endpoint: 'file:///x' };
  for (const grant of ['device_code', 'client_credentials'] as const) {
    for (const document of [bare, { ...bare, ...lists }]) {
      const judged = validateServerMetadata(document, { ...asked, grant });
      assert.ok(judged.ok, grant);
      assert.equal(judged.authorizationServer.authorizationEndpoint, undefined, 'never used, never shown');
    }
    assert.equal(validateServerMetadata({ ...bare, token_endpoint: 7 }, { ...asked, grant }).ok, false);
  }
  const judged = validateServerMetadata(
    { ...bare, grant_types_supported: ['authorization_code'] },
    { ...asked, grant: 'client_credentials' },
  );
  assert.ok(!judged.ok && judged.failure.code === 'capability_missing');
});
