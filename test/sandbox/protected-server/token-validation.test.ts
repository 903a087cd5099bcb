import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, UnsecuredJWT } from 'jose';
import { honestClaims, type Running, runProtected, sign } from './protected.js';
import { initialize, post, TestSession } from './session.js';

/** Shows that a token is refused with 401 before anything happens, and that nothing is told but the refusal. */
async function refuses(running: Running, token: string, why: RegExp): Promise<void> {
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
    assert.equal(response.headers.get('mcp-session-id'), null);
  }
  assert.equal(running.server.sessionCount, before);
}

test('[R-5.2a] an honest token is taken, with ES256 and with RS256', async () => {
  await using running = await runProtected();
  await TestSession.open(running.url, await running.token());
  await TestSession.open(running.url, await running.token({ aud: [running.url] }));
  await TestSession.open(running.url, await running.token({}, { typ: 'application/at+jwt' }));
  const rsa = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256' }];
  await using other = await runProtected({ keys });
  const token = await sign(rsa.privateKey, honestClaims(other.url), { alg: 'RS256', kid: 'rsa' });
  await TestSession.open(other.url, token);
});

test('[R-5.2b] [R-5.2a] [A-282] a token for any other audience is refused, however near it is', async () => {
  await using running = await runProtected();
  const { port } = new URL(running.url);
  const others = [
    'https://other.example/mcp',
    running.origin,
    `${running.origin}/`,
    `${running.url}/`,
    `${running.url}/sub`,
    `${running.url}2`,
    `${running.origin}/other`,
    `${running.origin}/MCP`,
    running.url.replace(`:${port}`, ':1'),
    running.url.replace('http:', 'https:'),
    running.url.replace('127.0.0.1', 'localhost'),
    `${running.url}#a`,
    `${running.url}?a`,
  ];
  for (const aud of [...others, others, [running.url, 'https://other.example/mcp'], []]) {
    await refuses(running, await running.token({ aud }), /issued for another resource/);
  }
});

test('[R-5.2a] [R-5.2c] [A-283] wrong issuers, times and missing claims are refused', async () => {
  await using running = await runProtected();
  const { iss } = honestClaims(running.url);
  const now = Math.floor(Date.now() / 1000);
  const wrong: readonly JWTPayload[] = [
    { iss: 'https://evil.example' },
    { iss: `${iss}/` },
    { iss: String(iss).toUpperCase() },
    { nbf: now + 60 },
    { client_id: undefined },
    ...['iss', 'aud', 'exp', 'iat', 'sub', 'jti'].map((claim) => ({ [claim]: undefined })),
    { exp: String(now + 300) as unknown as number },
  ];
  for (const claims of wrong) await refuses(running, await running.token(claims), /not one for this server|another/);
  for (const exp of [now - 1, now - 100_000, 0]) {
    await refuses(running, await running.token({ exp }), /has expired/);
  }
  for (const claims of [{ scope: ['mcp:basic'] }, { sub: 7 as unknown as string }, { scope: 'a"b' }]) {
    await refuses(running, await running.token(claims), /malformed/);
  }
});

test('[R-5.2c] [A-283] algorithms beside the short list, and keys that a token brings along, are refused', async () => {
  await using running = await runProtected();
  const claims = honestClaims(running.url);
  const evil = await generateKeyPair('ES256', { extractable: true });
  const evilJwk = await exportJWK(evil.publicKey);
  const publicKey = await importJWK(running.publicJwk, 'ES256', { extractable: true });
  if (publicKey instanceof Uint8Array) throw new TypeError('an EC key was expected');
  const secrets = [await exportSPKI(publicKey), JSON.stringify(running.publicJwk)];
  const tokens = [
    new UnsecuredJWT(claims).encode(),
    ...(await Promise.all(secrets.map((text) => sign(new TextEncoder().encode(text), claims, { alg: 'HS256' })))),
    await sign(evil.privateKey, claims),
    await sign(evil.privateKey, claims, { jwk: evilJwk }),
    await sign(evil.privateKey, claims, { jku: `${running.origin}/keys`, kid: 'k2' }),
    await sign(evil.privateKey, claims, { x5u: `${running.origin}/keys` }),
    await sign(evil.privateKey, claims, { kid: '../../../../dev/null' }),
    await sign(evil.privateKey, claims, { kid: "' OR 1=1 --" }),
  ];
  for (const token of tokens) await refuses(running, token, /not signed|malformed/);
});

test('[A-283] an algorithm beside the short list is refused even with a key of the issuer', async () => {
  const edwards = await generateKeyPair('EdDSA');
  const secret = new TextEncoder().encode('k'.repeat(32));
  const symmetric = { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'oct', alg: 'HS256' };
  const keys = [{ ...(await exportJWK(edwards.publicKey)), kid: 'ed', alg: 'EdDSA' }, symmetric];
  await using running = await runProtected({ keys });
  const claims = honestClaims(running.url);
  const tokens = [
    await sign(edwards.privateKey, claims, { alg: 'EdDSA', kid: 'ed' }),
    await sign(secret, claims, { alg: 'HS256', kid: 'oct' }),
  ];
  for (const token of tokens) {
    assert.equal((await post(running.url, token, initialize)).status, 401);
  }
});

test('[R-5.2c] [A-283] ID tokens, refresh tokens, garbage and a megabyte are refused', async () => {
  await using running = await runProtected();
  for (const typ of ['JWT', 'id_token+jwt', 'logout+jwt', undefined]) {
    await refuses(running, await running.token({}, { typ }), /not one for this server/);
  }
  for (const token of ['abc', 'a.b.c', '..', 'e30.e30.', 'vU3LxqzR0p7nJ9sVdGk1', '~', 'a b']) {
    await refuses(running, token, /malformed|not signed/);
  }
  const honest = await running.token();
  await refuses(running, honest.slice(0, -4), /not signed|malformed/);
  await refuses(running, `${honest}.${honest}`, /malformed/);
  await refuses(running, 'a'.repeat(1024 * 1024), /too long/);
});
