import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, testRows } from './rows.js';
import { changed, codesOf, ecKey, judged } from './sample.js';

const withKeys = (...keys: readonly unknown[]) =>
  changed({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } });
const privateEc = { ...ecKey, d: 'the-private-part' };

const optional: readonly Row[] = [
  ['an http page', changed({ client_uri: 'http://me.postern/' }), 'failure address_unusable'],
  ['a logo in the text', changed({ logo_uri: 'data:image/svg+xml,x' }), 'failure address_unusable'],
  [
    'the implicit grant',
    changed({ grant_types: ['authorization_code', 'implicit', 'refresh_token'] }),
    'failure grant_types_dropped',
  ],
  ['no authorization code', changed({ grant_types: ['refresh_token'] }), 'failure grant_types_lack_code'],
  ['no refresh token', changed({ grant_types: ['authorization_code'] }), 'warning grant_types_lack_refresh'],
  ['grant_types that is one text', changed({ grant_types: 'authorization_code' }), 'failure grant_types_unusable'],
  ['a token from the front channel', changed({ response_types: ['code', 'token'] }), 'failure response_types_unusable'],
  ['no application_type', changed({ application_type: undefined }), 'warning application_type_web'],
  ['an odd application_type', changed({ application_type: 'cli' }), 'failure application_type_unusable'],
  ['a scope', changed({ scope: 'files:read' }), 'warning scope_fixed'],
  ['a scope that is a list', changed({ scope: ['files:read'] }), 'failure scope_unusable'],
  ['contacts that is one text', changed({ contacts: 'me@me.postern' }), 'failure contacts_unusable'],
];

const secrets: readonly Row[] = [
  ['a secret', changed({ client_secret: 'canary' }), 'failure secret_inside'],
  ['a secret’s expiry', changed({ client_secret_expires_at: 0 }), 'failure secret_inside'],
  ['a secret deeper down', changed({ more: [{ password: 'canary' }] }), 'failure secret_inside'],
  [
    'a symmetric method',
    changed({ token_endpoint_auth_method: 'client_secret_basic' }),
    'failure auth_method_symmetric',
  ],
  [
    'another symmetric method',
    changed({ token_endpoint_auth_method: 'client_secret_jwt' }),
    'failure auth_method_symmetric',
  ],
  ['an unknown method', changed({ token_endpoint_auth_method: 'tls_client_auth' }), 'failure auth_method_unknown'],
  ['no method', changed({ token_endpoint_auth_method: undefined }), 'warning auth_method_missing'],
  ['a key method without a key', changed({ token_endpoint_auth_method: 'private_key_jwt' }), 'failure keys_missing'],
  ['keys that are not used', changed({ jwks: { keys: [ecKey] } }), 'warning keys_unused'],
  ['a private key', withKeys(privateEc), 'failure private_key_inside'],
  ['a symmetric key', withKeys({ kty: 'oct', k: 'canary' }), 'failure private_key_inside'],
  ['half a key', withKeys({ ...ecKey, y: undefined }), 'failure keys_unusable'],
  ['no key in the list', withKeys(), 'failure keys_unusable'],
  ['a short RSA key', withKeys({ kty: 'RSA', n: 'a'.repeat(171), e: 'AQAB', kid: 'a' }), 'failure key_too_short'],
  ['a key for encryption', withKeys({ ...ecKey, use: 'enc' }), 'failure key_use'],
  ['a key for HMAC', withKeys({ ...ecKey, alg: 'HS256' }), 'failure key_algorithm'],
  [
    'assertions that anybody could sign',
    changed({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'HS256',
      jwks: { keys: [ecKey] },
    }),
    'failure key_algorithm',
  ],
  ['two keys of one name', withKeys(ecKey, ecKey), 'failure key_names_clash'],
  ['a key without a name', withKeys({ ...ecKey, kid: undefined }), 'warning key_unnamed'],
  [
    'keys here and elsewhere',
    changed({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [ecKey] },
      jwks_uri: 'https://me.postern/keys',
    }),
    'failure keys_twice',
    'warning keys_elsewhere',
  ],
];

testRows('[R-2.3b]', optional);
testRows('[R-2.3b][R-2.3c][A-63]', secrets);

test('[R-5.7a] the document that this program writes has no finding, with and without a key, and is well under 5 KB', () => {
  assert.deepEqual(codesOf(judged(changed({}))), []);
  assert.deepEqual(codesOf(judged(withKeys(ecKey))), []);
  assert.ok(changed({}).length < 1024);
});
