import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, UnsecuredJWT } from 'jose';
import { honestClaims, type Running, runProtected, sign } from './protected.js';
import { initialize, post, TestSession } from './session.js';

const rsa = await generateKeyPair('RS256');
const edwards = await generateKeyPair('EdDSA');
const secret = new TextEncoder().encode('k'.repeat(32));
let running: Running;

before(async () => {
  running = await runProtected({
    keys: [
      { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256' },
      { ...(await exportJWK(edwards.publicKey)), kid: 'ed', alg: 'EdDSA' },
      { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'oct', alg: 'HS256' },
    ],
  });
});

after(() => running[Symbol.asyncDispose]());

/** Shows that a token is refused with 401 before anything happens, and that nothing is told but the refusal. */
async function refuses(token: string, why: RegExp): Promise<void> {
  const session = await TestSession.open(running.url, await running.token());
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
  const before = running.server.sessionCount;
  for (const [body, headers] of [[initialize, {}] as const, [call, session.headers] as const]) {
    const response = await post(running.url, token, body, headers);
    const text = await response.text();
    assert.equal(response.status, 401, text);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token", /);
    assert.deepEqual(Object.keys(JSON.parse(text)).sort(), ['error', 'error_description']);
    assert.match(JSON.parse(text).error_description, why);
  }
  assert.equal(running.server.sessionCount, before);
}

test('[R-5.2a] an honest token is taken, with ES256 and with RS256', async () => {
  await TestSession.open(running.url, await running.token({ aud: [running.url] }));
  await TestSession.open(running.url, await running.token({}, { typ: 'application/at+jwt' }));
  const token = await sign(rsa.privateKey, honestClaims(running.url), { alg: 'RS256', kid: 'rsa' });
  await TestSession.open(running.url, token);
});

test('[R-5.2b] [A-282] a token for any other audience is refused, however near it is', async () => {
  const other = 'https://other.example/mcp';
  const near = [`${running.url}/`, `${running.url}?a`, running.origin, running.url.toUpperCase()];
  for (const aud of [other, ...near, running.url.replace('127.0.0.1', 'localhost'), [running.url, other], []])
    await refuses(await running.token({ aud }), /issued for another resource/);
});

test('[R-5.2a] [R-5.2c] [A-283] wrong issuers, times and missing claims are refused', async () => {
  const { iss } = honestClaims(running.url);
  const now = Math.floor(Date.now() / 1000);
  const wrong: readonly JWTPayload[] = [
    { iss: 'https://evil.example' },
    { iss: `${iss}/` },
    { nbf: now + 60 },
    ...['iss', 'aud', 'exp', 'iat', 'sub', 'jti', 'client_id'].map((claim) => ({ [claim]: undefined })),
    { exp: String(now + 300) as unknown as number },
  ];
  for (const claims of wrong) await refuses(await running.token(claims), /not one for this server|another/);
  for (const exp of [now - 1, 0]) await refuses(await running.token({ exp }), /has expired/);
  for (const claims of [{ scope: ['mcp:basic'] }, { sub: 7 as unknown as string }, { scope: 'a"b' }])
    await refuses(await running.token(claims), /malformed/);
});

test('[R-5.2c] [A-283] algorithms beside the short list, and keys that a token brings along, are refused', async () => {
  const claims = honestClaims(running.url);
  const evil = await generateKeyPair('ES256', { extractable: true });
  const publicKey = await importJWK(running.publicJwk, 'ES256', { extractable: true });
  const confused = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey));
  for (const token of [
    new UnsecuredJWT(claims).encode(),
    await sign(confused, claims, { alg: 'HS256' }),
    await sign(secret, claims, { alg: 'HS256', kid: 'oct' }),
    await sign(edwards.privateKey, claims, { alg: 'EdDSA', kid: 'ed' }),
    await sign(evil.privateKey, claims),
    await sign(evil.privateKey, claims, { jwk: await exportJWK(evil.publicKey) }),
    await sign(evil.privateKey, claims, { jku: `${running.origin}/keys`, kid: 'k2' }),
    await sign(evil.privateKey, claims, { kid: '../../../../dev/null' }),
  ])
    await refuses(token, /not signed|malformed/);
});

test('[R-5.2c] [A-283] ID tokens, refresh tokens, garbage and a megabyte are refused', async () => {
  for (const typ of ['JWT', 'id_token+jwt', undefined])
    await refuses(await running.token({}, { typ }), /not one for this server/);
  const honest = await running.token();
  for (const token of ['abc', '..', 'e30.e30.', '~', honest.slice(0, -4), `${honest}.${honest}`])
    await refuses(token, /malformed|not signed/);
  await refuses('a'.repeat(1024 * 1024), /too long/);
});
