import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, testRows } from './rows.js';
import { changed, codesOf, ecKey, judged } from './sample.js';

const withKeys = (...keys: readonly unknown[]) =>
  changed({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } });
const privateEc = { ...ecKey, d: 'the-private-part' };

const optional: readonly Row[] = [
  ['an http page', changed({ client_uri: 'http://me.postern/' }), 'failure client_uri'],
  ['a logo in the text', changed({ logo_uri: 'data:image/svg+xml,x' }), 'failure logo_uri'],
  [
    'the implicit grant',
    changed({ grant_types: ['authorization_code', 'implicit', 'refresh_token'] }),
    'failure grant_types',
  ],
  ['no authorization code', changed({ grant_types: ['refresh_token'] }), 'failure grant_types'],
  ['no refresh token', changed({ grant_types: ['authorization_code'] }), 'warning grant_types'],
  ['grant_types that is one text', changed({ grant_types: 'authorization_code' }), 'failure grant_types'],
  ['a token from the front channel', changed({ response_types: ['code', 'token'] }), 'failure response_types'],
  ['no application_type', changed({ application_type: undefined }), 'warning application_type'],
  ['an odd application_type', changed({ application_type: 'cli' }), 'failure application_type'],
  ['a scope', changed({ scope: 'files:read' }), 'warning scope'],
  ['a scope that is a list', changed({ scope: ['files:read'] }), 'warning scope'],
  ['contacts that is one text', changed({ contacts: 'me@me.postern' }), 'failure contacts'],
];

const secrets: readonly Row[] = [
  ['a secret', changed({ client_secret: 'canary' }), 'failure secret'],
  ['a secret’s expiry', changed({ client_secret_expires_at: 0 }), 'failure secret'],
  ['a secret deeper down', changed({ more: [{ password: 'canary' }] }), 'failure secret'],
  [
    'a symmetric method',
    changed({ token_endpoint_auth_method: 'client_secret_basic' }),
    'failure token_endpoint_auth_method',
  ],
  [
    'another symmetric method',
    changed({ token_endpoint_auth_method: 'client_secret_jwt' }),
    'failure token_endpoint_auth_method',
  ],
  [
    'an unknown method',
    changed({ token_endpoint_auth_method: 'tls_client_auth' }),
    'failure token_endpoint_auth_method',
  ],
  ['no method', changed({ token_endpoint_auth_method: undefined }), 'warning token_endpoint_auth_method'],
  ['a key method without a key', changed({ token_endpoint_auth_method: 'private_key_jwt' }), 'failure jwks'],
  ['keys that are not used', changed({ jwks: { keys: [ecKey] } }), 'warning jwks'],
  ['a private key', withKeys(privateEc), 'failure jwks'],
  ['a symmetric key', withKeys({ kty: 'oct', k: 'canary' }), 'failure jwks'],
  ['half a key', withKeys({ ...ecKey, y: undefined }), 'failure jwks'],
  ['no key in the list', withKeys(), 'failure jwks'],
  ['a short RSA key', withKeys({ kty: 'RSA', n: 'a'.repeat(171), e: 'AQAB', kid: 'a' }), 'failure jwks'],
  ['a key for encryption', withKeys({ ...ecKey, use: 'enc' }), 'failure jwks'],
  ['a key for HMAC', withKeys({ ...ecKey, alg: 'HS256' }), 'failure jwks'],
  [
    'assertions that anybody could sign',
    changed({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'HS256',
      jwks: { keys: [ecKey] },
    }),
    'failure token_endpoint_auth_signing_alg',
  ],
  ['two keys of one name', withKeys(ecKey, ecKey), 'failure jwks'],
  ['a key without a name', withKeys({ ...ecKey, kid: undefined }), 'warning jwks'],
  [
    'keys here and elsewhere',
    changed({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [ecKey] },
      jwks_uri: 'https://me.postern/keys',
    }),
    'failure jwks_uri',
  ],
];

testRows('[R-2.3b]', optional);
testRows('[R-2.3b][R-2.3c][A-63]', secrets);

test('[R-5.7a] the document that this program writes has no finding, with and without a key, and is well under 5 KB', () => {
  assert.deepEqual(codesOf(judged(changed({}))), []);
  assert.deepEqual(codesOf(judged(withKeys(ecKey))), []);
  assert.ok(changed({}).length < 1024);
});
