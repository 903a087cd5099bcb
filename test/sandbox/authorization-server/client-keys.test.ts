import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { base64url, CompactEncrypt } from 'jose';
import { clientOfDocument } from '../../../src/sandbox/authorization-server/client-rules.js';
import { readClients } from '../../../src/sandbox/read-clients.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import { register, tokenRequest } from '../client.js';
import { documentAt } from '../document-host.js';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsa = { ...publicKey.export({ format: 'jwk' }), kid: 'r', use: 'sig' };
const modulusOf = (bits: number): string => base64url.encode(Buffer.alloc(bits / 8, 0xff));

const costly: readonly (readonly [string, readonly object[], RegExp])[] = [
  ['16384 bits', [{ ...rsa, n: modulusOf(16_384) }], /more than 4096 bits/],
  ['4104 bits', [{ ...rsa, n: modulusOf(4104) }], /more than 4096 bits/],
  ['an exponent as long as the modulus', [{ ...rsa, e: modulusOf(2048) }], /exponent/],
  ['21 keys', Array.from({ length: 21 }, (_, at) => ({ ...rsa, kid: `${at}` })), /more than 20 keys/],
  ['a shared key', [{ kty: 'oct', k: 'c2VjcmV0' }], /shared key/],
  ['no key', [], /without keys/],
];

let sandbox: Sandbox;

before(async () => {
  sandbox = await startSandbox({ clients: [{ client_id: 'robot', jwks: { keys: [{ ...rsa }] }, redirect_uris: [] }] });
});

after(() => sandbox.close());

for (const [what, keys, said] of costly) {
  test(`[A-263] the sandbox takes no client with ${what}, registered, by document or by its file`, async () => {
    const metadata = {
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys },
    };
    const { status, json } = await register(sandbox, metadata);
    assert.equal(status, 400);
    assert.equal(json['error'], 'invalid_client_metadata');
    assert.match(String(json['error_description']), said);
    const id = 'https://client.example/c.json';
    assert.match(String(clientOfDocument(JSON.parse(JSON.stringify({ ...documentAt(id), ...metadata })))), said);
    const file = Buffer.from(JSON.stringify({ client_id: 'c', jwks: { keys } }));
    assert.throws(() => readClients(file), { name: 'RangeError', message: said });
  });
}

test('[A-263] the longest key that is taken, and twenty of them', async () => {
  const keys = Array.from({ length: 20 }, (_, at) => ({ ...rsa, n: modulusOf(4096), kid: `${at}` }));
  const { status } = await register(sandbox, {
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys },
  });
  assert.equal(status, 201);
});

test('[A-263] an assertion that is encrypted with a million rounds, or of another algorithm, is refused unread', async () => {
  const part = (value: object): string => base64url.encode(JSON.stringify(value));
  const claims = { iss: 'robot', sub: 'robot', aud: sandbox.issuer, jti: randomUUID(), exp: 4e9 };
  const encrypted = await new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM' })
    .setKeyManagementParameters({ p2c: 1000 })
    .encrypt(Buffer.from('password'));
  const header = part({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2s: 'c2FsdHNhbHQ', p2c: 1_000_000 });
  const assertions = [
    encrypted,
    [header, ...encrypted.split('.').slice(1)].join('.'),
    ...['none', 'HS256', 'RS512', 'PS256', 'ES512'].map(
      (alg) => `${part({ alg, kid: 'r' })}.${part(claims)}.${alg === 'none' ? '' : 'c2lnbmF0dXJl'}`,
    ),
  ];
  for (const client_assertion of assertions) {
    const { status, json } = await tokenRequest(sandbox, {
      grant_type: 'client_credentials',
      resource: sandbox.serverUrl,
      client_id: 'robot',
      client_assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    assert.ok(status === 400 || status === 401, `${status} ${client_assertion.slice(0, 60)}`);
    assert.match(String(json['error']), /^invalid_(client|request)$/);
    assert.equal(json['access_token'], undefined);
  }
});
