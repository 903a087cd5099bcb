import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { importPrivateKey } from '../../src/oauth/client-key.js';

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pem = ec.export(pkcs8).toString();
const why = async (text: string) => {
  const imported = await importPrivateKey(text);
  return imported.ok ? 'none' : imported.why;
};

test('EC keys on P-256 and RSA keys are taken, with text around them and with any line ends', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pkcs8).toString();
  for (const text of [pem, rsa, `Subject: me\n${pem}\ntrailer`, pem.replaceAll('\n', '\r\n')]) {
    const imported = await importPrivateKey(text);
    assert.ok(imported.ok);
    assert.deepEqual([imported.key.extractable, imported.key.usages], [false, ['sign']]);
  }
});

test('every other key is refused, and what to do with it is said', async () => {
  const other = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey.export(pkcs8);
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pkcs8).toString();
  const locked = ec.export({ ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
  assert.match(await why(other('P-384').toString()), /neither an EC key on P-256/);
  assert.match(await why(small), /1024 bits/);
  assert.match(await why(locked), /encrypted/);
  assert.match(await why(ec.export({ type: 'sec1', format: 'pem' }).toString()), /PKCS #8/);
  assert.match(await why(''), /no private key/);
});

test('a private JWK is taken with its kid; a public one, a set, and a secret are told from it', async () => {
  const jwk = ec.export({ format: 'jwk' });
  const imported = await importPrivateKey(JSON.stringify({ ...jwk, kid: 'one', use: 'sig', alg: 'ES256' }));
  assert.deepEqual(imported.ok && [imported.keyId, imported.key.extractable], ['one', false]);
  const { d: _, ...shown } = jwk;
  assert.match(await why(JSON.stringify(shown)), /no private key/);
  assert.match(await why(JSON.stringify({ keys: [jwk] })), /set of keys/);
  assert.match(await why('{"kty":"oct","d":"x"}'), /no private key/);
  assert.match(await why(JSON.stringify({ ...jwk, crv: 'P-384' })), /neither an EC key on P-256/);
  assert.match(await why(`{"d":"${jwk.d}"`), /no JSON object/);
});

test('no text is thrown at, and nothing of it is repeated', async () => {
  const body = pem.split('\n').slice(1, -2).join('');
  const damaged = fc
    .tuple(fc.nat(body.length - 1), fc.string({ maxLength: 8 }))
    .map(([at, put]) => `-----BEGIN PRIVATE KEY-----\n${body.slice(0, at)}${put}\n-----END PRIVATE KEY-----`);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        damaged,
        fc.string(),
        fc.string().map((text) => pem + text),
      ),
      async (text) => {
        const imported = await importPrivateKey(text);
        assert.ok(imported.ok || !imported.why.includes(body.slice(0, 12)));
      },
    ),
    { numRuns: 60 },
  );
});
