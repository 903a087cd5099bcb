import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxOptions } from '../../support/product.js';
import { startSandbox } from '../../support/start-sandbox.js';

const oauth = '/.well-known/oauth-authorization-server';
const openid = '/.well-known/openid-configuration';

/** The statuses of the three addresses of RFC 8414 and OpenID Connect Discovery, in the client's order. */
async function statuses(options: SandboxOptions): Promise<readonly number[]> {
  await using sandbox = await startSandbox(options);
  const { origin, pathname } = new URL(sandbox.issuer);
  const path = pathname === '/' ? '' : pathname;
  const addresses = [`${origin}${oauth}${path}`, `${origin}${openid}${path}`, `${sandbox.issuer}${openid}`];
  return await Promise.all(
    addresses.map(async (address) => {
      const response = await fetch(address);
      const text = await response.text();
      if (response.status === 200) assert.equal(JSON.parse(text).issuer, sandbox.issuer);
      return response.status;
    }),
  );
}

test('[R-1.8e] RFC 8414 metadata and OpenID Connect Discovery are both served, and each can be served alone', async () => {
  assert.deepEqual(await statuses({ issuerPath: '/tenant1' }), [200, 200, 200]);
  assert.deepEqual(await statuses({ issuerPath: '/tenant1', metadata: 'oauth' }), [200, 404, 404]);
  assert.deepEqual(await statuses({ issuerPath: '/tenant1', metadata: 'openid' }), [404, 200, 200]);
  assert.deepEqual(await statuses({ issuerPath: '/tenant1', metadata: 'openid-appended' }), [404, 404, 200]);
  assert.deepEqual(await statuses({ metadata: 'oauth' }), [200, 404, 404]);
});

test('[Q-6.5] [R-2.2c] [R-2.2a] [R-2.2b] both documents announce S256, resource-bound scopes, iss, registration and metadata documents', async () => {
  await using sandbox = await startSandbox({ issuerPath: '/a/b' });
  const { origin } = new URL(sandbox.issuer);
  for (const address of [`${origin}${oauth}/a/b`, `${sandbox.issuer}${openid}`]) {
    const document = await (await fetch(address)).json();
    assert.deepEqual(document.code_challenge_methods_supported, ['S256']);
    assert.deepEqual(document.response_types_supported, ['code'], 'no token ever comes through the browser');
    assert.equal(document.userinfo_endpoint, undefined, 'an access token is for the protected server alone');
    assert.equal(document.client_id_metadata_document_supported, true);
    assert.equal(document.authorization_response_iss_parameter_supported, true);
    assert.equal(document.registration_endpoint, `${sandbox.issuer}/register`);
    assert.equal(document.token_endpoint, `${sandbox.issuer}/token`);
    assert.equal(document.revocation_endpoint, `${sandbox.issuer}/revoke`);
    for (const scope of ['mcp:basic', 'notes:read', 'notes:write'])
      assert.ok(document.scopes_supported.includes(scope));
  }
});

test('[R-2.2a] [R-2.2b] what is switched off is not announced and not there', async () => {
  await using sandbox = await startSandbox({ registration: false, metadataDocuments: false });
  const document = await (await fetch(`${sandbox.issuer}${oauth}`)).json();
  assert.equal('registration_endpoint' in document, false);
  assert.equal('client_id_metadata_document_supported' in document, false);
  const refused = await fetch(`${sandbox.issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"redirect_uris":["http://127.0.0.1/"]}',
  });
  assert.equal(refused.status, 404);
});
