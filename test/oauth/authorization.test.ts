import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  authorizationRequestParameters,
  authorizationRequestUrl,
  newProof,
} from '../../src/oauth/authorization-request.js';
import { type AuthorizationResponse, validateAuthorizationResponse } from '../../src/oauth/authorization-response.js';
import type { AuthorizationServer } from '../../src/oauth/server-metadata.js';
import { anyText } from '../support/arbitraries.js';
import { Secret } from '../support/product.js';

const server: AuthorizationServer = {
  issuer: 'https://as.example',
  authorizationEndpoint: 'https://as.example/authorize?tenant=7',
  tokenEndpoint: 'https://as.example/token',
  registrationEndpoint: undefined,
  revocationEndpoint: undefined,
  pushedAuthorizationRequestEndpoint: undefined,
  requiresPushedRequests: false,
  deviceAuthorizationEndpoint: undefined,
  scopesSupported: [],
  promptValues: [],
  grantTypes: undefined,
  tokenAuthMethods: undefined,
  announcesIss: false,
  dpopAlgorithms: undefined,
  takesMetadataDocuments: false,
  grantProfiles: undefined,
  exchangedTypes: undefined,
};

test('[R-2.5a][R-2.5b][R-2.5c][R-4.8d][A-76] every parameter is there exactly once, whatever characters it has', () => {
  const text = anyText({ minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(text, text, text, fc.array(text, { maxLength: 4 }), (clientId, resource, state, scopes) => {
      const redirectUri = 'http://127.0.0.1:1234/callback';
      const url = new URL(
        authorizationRequestUrl(
          server.authorizationEndpoint ?? '',
          authorizationRequestParameters({ clientId, redirectUri, resource, scopes, state, codeChallenge: 'c' }),
        ),
      );
      const expected: Record<string, string> = {
        client_id: clientId,
        resource,
        state,
        redirect_uri: redirectUri,
        code_challenge: 'c',
        code_challenge_method: 'S256',
        response_type: 'code',
        tenant: '7',
      };
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(url.searchParams.getAll(name), [value]);
      }
      assert.deepEqual(url.searchParams.getAll('scope'), scopes.length === 0 ? [] : [scopes.join(' ')]);
      assert.equal(url.origin, 'https://as.example');
    }),
  );
});

test('[A-75] state and verifier are fresh each time, 256 bits, and print as ***', async () => {
  const proofs = await Promise.all(Array.from({ length: 20 }, () => newProof()));
  const values = proofs.flatMap((proof) => [proof.state.reveal(), proof.verifier.reveal()]);
  assert.equal(new Set(values).size, 40);
  assert.ok(values.every((value) => /^[A-Za-z0-9_-]{43}$/.test(value)));
  assert.equal(`${proofs[0]?.state}${JSON.stringify(proofs[0]?.verifier)}`, '***"***"');
});

const iss = (value: string) => ['iss', value] as const;
const code = ['code', 'abc'] as const;
const state = ['state', 's'] as const;
const announcing = { issuer: server.issuer, announcesIss: true };
const validate = (
  response: AuthorizationResponse,
  about: { readonly issuer: string; readonly announcesIss: boolean },
) => validateAuthorizationResponse(response, { server: about, state: new Secret('s') });
const silent = { issuer: server.issuer, announcesIss: false };

test('[Q-6.3][A-90] iss missing though announced is refused; missing and not announced is fine', async () => {
  const judged = await validate([code, state], announcing);
  assert.ok(!judged.ok && judged.problem === 'other_issuer' && judged.found === undefined);
  assert.ok((await validate([code, state], silent)).ok);
  assert.ok((await validate([code, state, iss(server.issuer)], silent)).ok);
});

test('[A-88] a parameter twice, or a code beside an error, is unusable: neither first nor last is picked', async () => {
  const answers = [
    [code, ['code', 'def'], state],
    [code, state, state],
    [code, state, iss(server.issuer), iss(server.issuer)],
    [['error', 'a'], ['error', 'b'], state],
    [code, ['error', 'access_denied'], state],
  ] as const;
  for (const answer of answers) {
    const judged = await validate(answer, silent);
    assert.ok(!judged.ok && judged.problem === 'unusable', JSON.stringify(answer));
  }
});

test('[A-94] a code too long, with forbidden characters or absent is unusable; odd but printable ones are taken', async () => {
  for (const bad of ['', 'x'.repeat(4097), 'a\nb', 'a\0b', 'é', '\u202e']) {
    const judged = await validate([['code', bad], state], silent);
    assert.ok(!judged.ok && judged.problem === 'unusable');
    assert.ok(bad === '' || !judged.why.includes(bad), 'never reflected');
  }
  assert.ok((await validate([['code', '4/0AX4=~!$ &'], state, ['session_state', 'x']], silent)).ok);
});

test('[A-87] an error with our state is the answer', async () => {
  const judged = await validate([['error', 'access_denied'], ['error_description', 'no'], state], silent);
  assert.ok(!judged.ok && judged.problem === 'refused' && judged.error === 'access_denied' && judged.said === 'no');
});
