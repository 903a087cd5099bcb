import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { validateDocument } from '../../../src/sandbox/authorization-server/client-documents/validate-document.js';
import { type Document, documentAt } from '../document-host.js';

const clientId = 'https://client.example/c.json';
const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: '1' };

function judge(document: unknown) {
  return validateDocument(Buffer.from(JSON.stringify(document)), clientId);
}

const wrong: readonly (readonly [title: string, change: Document, problem: RegExp])[] = [
  ['another address', { client_id: 'https://client.example/other.json' }, /another client_id/],
  ['other letter case', { client_id: 'https://client.example/C.json' }, /another client_id/],
  ['a slash more', { client_id: `${clientId}/` }, /another client_id/],
  ['a query more', { client_id: `${clientId}?` }, /another client_id/],
  ['the port spelled out', { client_id: 'https://client.example:443/c.json' }, /another client_id/],
  ['no string', { client_id: [clientId] }, /another client_id/],
  ['a secret', { client_secret: 'x' }, /client secret/],
  ['an empty secret', { client_secret: null }, /client secret/],
  ['an end of a secret', { client_secret_expires_at: 0 }, /client secret/],
  ['no name', { client_name: undefined }, /client_name/],
  ['a blank name', { client_name: ' ' }, /client_name/],
  ['no redirect URIs', { redirect_uris: undefined }, /no redirect_uris/],
  ['an empty list of them', { redirect_uris: [] }, /no redirect_uris/],
  ['one that is no string', { redirect_uris: ['http://127.0.0.1/cb', 7] }, /no redirect_uris/],
  ['plain http elsewhere', { redirect_uris: ['http://127.0.0.1/cb', 'http://evil.example/cb'] }, /neither https/],
  ['script', { redirect_uris: ['javascript:alert(1)'] }, /neither https/],
  ['a fragment', { redirect_uris: ['https://client.example/cb#f'] }, /neither https/],
  ['too many', { redirect_uris: Array.from({ length: 21 }, (_, at) => `https://c.example/${at}`) }, /more than 20/],
  ['tokens without a person', { grant_types: ['client_credentials', 'refresh_token'] }, /by which a person logs in/],
  ['grant types that are no list', { grant_types: 'authorization_code' }, /by which a person logs in/],
  ['basic', { token_endpoint_auth_method: 'client_secret_basic' }, /token_endpoint_auth_method/],
  ['post', { token_endpoint_auth_method: 'client_secret_post' }, /token_endpoint_auth_method/],
  ['an assertion with a shared secret', { token_endpoint_auth_method: 'client_secret_jwt' }, /auth_method/],
  ['a method that is no string', { token_endpoint_auth_method: ['none'] }, /auth_method/],
  ['keys without any', { token_endpoint_auth_method: 'private_key_jwt' }, /no jwks/],
  ['an empty key set', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }, /without keys/],
  ['a key set that is a list', { jwks: [key] }, /without keys/],
  ['a key that is none', { jwks: { keys: [key, 'x'] } }, /something else than keys/],
  ['a shared key', { jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, /shared key/],
  ['a private key', { jwks: { keys: [key, { ...key, d: 'x' }] } }, /private key/],
  ['a private RSA key', { jwks: { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', p: 'p' }] } }, /private key/],
  ['keys elsewhere', { jwks_uri: 'https://10.0.0.1/keys' }, /jwks_uri/],
  ['a sector elsewhere', { sector_identifier_uri: 'https://10.0.0.1/s' }, /sector_identifier_uri/],
  ['requests elsewhere', { request_uris: ['https://10.0.0.1/r'] }, /request_uris/],
];

for (const [title, change, problem] of wrong) {
  test(`[R-4.4b] [A-276] a metadata document is refused: ${title}`, () => {
    const judged = judge({ ...documentAt(clientId), ...change });
    assert.ok(!judged.ok);
    assert.match(judged.problem ?? '', problem);
  });
}

test('[R-4.4b] a complete document is taken, with and without a key and a method', () => {
  for (const change of [
    {},
    { token_endpoint_auth_method: undefined },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key, { ...key, kid: '2' }] } },
    { redirect_uris: ['http://127.0.0.1/callback', 'http://localhost:8765/callback', 'https://client.example/cb'] },
    { logo_uri: 'https://client.example/logo.svg', something_new: { deep: [1] } },
  ]) {
    assert.ok(judge({ ...documentAt(clientId), ...change }).ok, JSON.stringify(change));
  }
});

test('[R-4.4b] of the grant types of a document those are left out that strangers do not get here', () => {
  const judged = judge({
    ...documentAt(clientId),
    grant_types: ['authorization_code', 'client_credentials', 'refresh_token', 'password'],
  });
  assert.ok(judged.ok);
  assert.deepEqual(judged.document['grant_types'], ['authorization_code', 'refresh_token']);
});

test('[R-4.4b] [A-275] what is no JSON object gets no reason, and whatever the bytes are, nothing of them is in it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (bytes) => {
      const judged = validateDocument(bytes, clientId);
      assert.ok(!judged.ok);
    }),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(documentAt(clientId)), 'jwks'), fc.jsonValue()),
      (change) => {
        const judged = judge({ ...documentAt(clientId), ...change, client_secret: 'canary' });
        assert.ok(!judged.ok);
        assert.doesNotMatch(judged.problem ?? '', /canary/);
      },
    ),
  );
});
