import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { needs } from '../../support/needs.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import { listenForCallback, loggedIn, tokenRequest } from '../client.js';
import { type DocumentHost, startDocumentHost } from '../document-host.js';

interface Key {
  readonly jwk: JWK;
  readonly sign: (clientId: string, audience: string, claims?: object) => Promise<string>;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

async function makeKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    sign: (clientId, audience, claims = {}) =>
      new SignJWT({ iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setIssuedAt()
        .setExpirationTime('1 minute')
        .sign(privateKey),
  };
}

describe('clients that sign with a key of their document', { skip: needs('openssl') }, () => {
  let host: DocumentHost;
  let old: Key;
  let next: Key;

  before(async () => {
    host = await startDocumentHost();
    [old, next] = await Promise.all([makeKey('old'), makeKey('next')]);
  });

  after(() => host[Symbol.asyncDispose]());

  const publish = (keys: readonly Key[], cache: string): void =>
    host.serve(
      (document) => ({
        ...document,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: keys.map(({ jwk }) => jwk) },
      }),
      { 'cache-control': cache },
    );

  /** Status of a token request after a whole login, authenticated with an assertion. */
  async function redeemed(sandbox: Sandbox, clientId: string, assertion: string | null): Promise<number> {
    await using callback = await listenForCallback();
    const { redemption } = await loggedIn(sandbox, callback, clientId);
    const signed = { client_assertion: assertion, client_assertion_type: assertion === null ? null : assertionType };
    return (await tokenRequest(sandbox, { ...redemption, ...signed })).status;
  }

  test('[R-4.4b] the key in the document opens the token endpoint, and nothing else does: no key, another key, another audience', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    const clientId = `${host.origin}/signing.json`;
    publish([old], 'max-age=600');
    const { issuer } = sandbox;
    assert.equal(await redeemed(sandbox, clientId, await old.sign(clientId, issuer)), 200);
    const assertion = await old.sign(clientId, issuer);
    assert.equal(await redeemed(sandbox, clientId, assertion), 200);
    for (const [why, wrong] of [
      ['none at all', null],
      ['used before', assertion],
      ['a key that the document does not have', await next.sign(clientId, issuer)],
      ['another key under the same name', await (await makeKey('old')).sign(clientId, issuer)],
      ['for the token endpoint', await old.sign(clientId, `${issuer}/token`)],
      ['another subject', await old.sign(clientId, issuer, { sub: `${clientId}x` })],
      ['unsigned', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${assertion.split('.')[1]}.`],
    ] as const) {
      const status = await redeemed(sandbox, clientId, wrong);
      assert.ok(status === 400 || status === 401, `${why}: ${status}`);
    }
  });

  test('[R-4.4a] [R-4.4b] while both keys are published, both open it; once the old one is gone, it does not', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    const clientId = `${host.origin}/rotating.json`;
    const statuses = async (): Promise<readonly number[]> => [
      await redeemed(sandbox, clientId, await old.sign(clientId, sandbox.issuer)),
      await redeemed(sandbox, clientId, await next.sign(clientId, sandbox.issuer)),
    ];
    publish([old], 'no-store');
    assert.deepEqual(await statuses(), [200, 401]);
    publish([old, next], 'no-store');
    assert.deepEqual(await statuses(), [200, 200]);
    publish([next], 'no-store');
    assert.deepEqual(await statuses(), [401, 200]);
  });
});
