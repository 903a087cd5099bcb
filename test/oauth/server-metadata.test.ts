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
  const judged = await judge(change);
  return judged.ok ? 'none' : judged.problem;
};

test('a tidy document is taken, and says what it offers', async () => {
  const judged = await judge({ registration_endpoint: 'https://as.example/register', scopes_supported: ['a'] });
  assert.ok(judged.ok);
  assert.equal(judged.authorizationServer.registrationEndpoint, 'https://as.example/register');
  assert.deepEqual(judged.authorizationServer.scopesSupported, ['a']);
  assert.equal(judged.authorizationServer.revocationEndpoint, undefined);
});

test('[R-2.2c][R-5.3b][R-7.3][A-38][A-39] without PKCE S256 in a list, refused', async () => {
  const { code_challenge_methods_supported: _absent, ...without } = good;
  const judged = await validateServerMetadata(without, asked);
  assert.ok(!judged.ok && judged.problem === 'no_pkce' && judged.came === 'code_challenge_methods_supported absent');
  for (const methods of [['plain'], 'S256', ['s256'], [null], [], null, { S256: true }]) {
    assert.equal(await problem({ code_challenge_methods_supported: methods }), 'no_pkce', JSON.stringify(methods));
  }
  assert.equal(await problem({ code_challenge_methods_supported: ['plain', 'S256'] }), 'none');
});

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
    assert.equal(await problem({ authorization_endpoint: `https://as.example/authorize?${query}` }), 'unusable', query);
  }
  assert.equal(await problem({ authorization_endpoint: 'https://as.example/authorize#x' }), 'unusable');
  assert.equal(await problem({ authorization_endpoint: 'https://as.example/authorize?tenant=7' }), 'none');
});

test('[A-40] a document that leaves out the code flow is refused, naming what is missing', async () => {
  const judged = await judge({ response_types_supported: ['token'] });
  assert.ok(!judged.ok && judged.problem === 'no_capability' && judged.came.includes('code'));
  assert.equal(await problem({ grant_types_supported: ['implicit'] }), 'no_capability');
  assert.equal(await problem({ response_modes_supported: ['fragment'] }), 'no_capability');
  assert.equal(await problem({ grant_types_supported: ['authorization_code'] }), 'none');
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
    assert.equal(await problem({ token_endpoint: endpoint }), 'unusable', JSON.stringify(endpoint));
    assert.equal(await problem({ authorization_endpoint: endpoint }), 'unusable', JSON.stringify(endpoint));
    const judged = await judge({ registration_endpoint: endpoint, revocation_endpoint: endpoint });
    assert.ok(judged.ok && judged.authorizationServer.registrationEndpoint === undefined);
    assert.equal(judged.authorizationServer.revocationEndpoint, undefined);
  }
});

test('[R-5.8c] plain http endpoints are for servers on loopback only', async () => {
  const local = { ...good, issuer: 'http://127.0.0.1:9/', token_endpoint: 'http://127.0.0.1:9/token' };
  const where = { ...asked, issuer: 'http://127.0.0.1:9/' };
  assert.ok((await validateServerMetadata(local, { ...where, zone: 'loopback' })).ok);
  assert.ok(!(await validateServerMetadata(local, { ...where, zone: 'private' })).ok);
  assert.ok(!(await validateServerMetadata(local, { ...where, zone: 'public' })).ok);
});

test('[R-2.2a][A-64] only the boolean true allows a metadata document as client identifier', async () => {
  const takes = async (value: unknown) => {
    const judged = await judge({ client_id_metadata_document_supported: value as never });
    return judged.ok && judged.authorizationServer.takesMetadataDocuments;
  };
  assert.equal(await takes(true), true);
  for (const value of ['true', 1, 'yes', null, {}, [true]]) {
    assert.equal(await takes(value), false, JSON.stringify(value));
  }
});

test('[A-25][A-50] a server that lists its protected resources must list this one', async () => {
  assert.equal(await problem({ protected_resources: ['https://other.example/'] }), 'other_resources');
  assert.equal(await problem({ protected_resources: [asked.resource] }), 'none');
});

test('null and string-typed booleans count as absent (field note 6)', async () => {
  const judged = await judge({
    registration_endpoint: null,
    grant_types_supported: null,
    authorization_response_iss_parameter_supported: 'true',
  });
  assert.ok(judged.ok);
  assert.equal(judged.authorizationServer.grantTypes, undefined);
  assert.equal(judged.authorizationServer.announcesIss, false);
});

test('what only an authorization request needs is asked for it alone: a code to type or a client’s own login goes without', async () => {
  const { authorization_endpoint: _page, code_challenge_methods_supported: _pkce, ...bare } = good;
  assert.equal((await validateServerMetadata(bare, asked)).ok, false);
  const lists = { response_types_supported: [], response_modes_supported: [], authorization_endpoint: 'file:///x' };
  for (const grant of ['device_code', 'client_credentials'] as const) {
    for (const document of [bare, { ...bare, ...lists }]) {
      const judged = await validateServerMetadata(document, { ...asked, grant });
      assert.ok(judged.ok, grant);
      assert.equal(judged.authorizationServer.authorizationEndpoint, undefined, 'never used, never shown');
    }
    assert.equal((await validateServerMetadata({ ...bare, token_endpoint: 7 }, { ...asked, grant })).ok, false);
  }
  const judged = await validateServerMetadata(
    { ...bare, grant_types_supported: ['authorization_code'] },
    { ...asked, grant: 'client_credentials' },
  );
  assert.ok(!judged.ok && judged.problem === 'no_capability');
});
