import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProofChoice, type ProofDiscovery, proofUse } from '../../../src/oauth/dpop/offer.js';
import { Failure } from '../../support/product.js';

const login = { given: undefined, server: 'https://server.example/mcp' };
const discovery = (
  issuerAlgorithms: readonly string[] | undefined,
  dpopAlgorithms?: readonly string[],
): ProofDiscovery => ({
  server: login.server,
  authorizationServer: { issuer: 'https://as.example', dpopAlgorithms: issuerAlgorithms },
  protectedResource: dpopAlgorithms === undefined ? {} : { dpopAlgorithms },
});
const plain = discovery(undefined);
const offered = discovery(['RS256', 'ES256']);
const asked = discovery(['RS256', 'ES256'], ['ES256']);
const challenged = { challengedDpop: 'offered' } as const;
const required = { protectedResource: { dpopRequired: true } } as const;

function outcome(found: ProofDiscovery, choice?: ProofChoice, held = false): string {
  try {
    return proofUse(found, { choice, held }, login);
  } catch (error) {
    assert.ok(error instanceof Failure);
    return `${error.code} ${error.exit}`;
  }
}

test('a login is bound to a key where the protected server asks for it: that the authorization server announces it is not enough', () => {
  assert.equal(outcome(plain), 'none');
  assert.equal(outcome(offered), 'none');
  assert.equal(outcome(discovery(['ES256'], [])), 'none');
  assert.equal(outcome(discovery(['ES256'], ['EdDSA'])), 'none');
  assert.equal(outcome(asked), 'used');
  assert.equal(outcome({ ...offered, ...challenged }), 'used');
  assert.equal(outcome(discovery(['RS256'], ['ES256'])), 'none');
  assert.equal(outcome({ ...plain, ...challenged }), 'none');
});

test('what a person or the server demands is demanded, and refused before the login where it is not announced', () => {
  assert.equal(outcome(offered, 'always'), 'required');
  assert.equal(outcome({ ...offered, ...required }), 'required');
  assert.equal(outcome(plain, 'always'), 'dpop_not_offered 2');
  assert.equal(outcome({ ...plain, ...required }), 'dpop_not_offered 5');
  assert.equal(outcome(discovery(['ES256'], []), 'always'), 'dpop_not_taken 5');
});

test('--no-dpop is a Bearer token, but where the server takes none', () => {
  assert.equal(outcome(offered, 'never'), 'none');
  assert.equal(outcome(offered, 'never', true), 'none');
  assert.equal(outcome({ ...offered, ...required }, 'never'), 'dpop_needed 2');
});

test('a login that was bound to a key is not quietly replaced by one that is not, while the server asks for that', () => {
  assert.equal(outcome(asked, undefined, true), 'required');
  assert.equal(outcome(discovery(undefined, ['ES256']), undefined, true), 'dpop_downgraded 4');
  assert.equal(outcome({ ...plain, ...challenged }, undefined, true), 'dpop_downgraded 4');
  assert.equal(outcome(offered, undefined, true), 'none');
  assert.equal(outcome(discovery(['ES256'], ['EdDSA']), undefined, true), 'dpop_downgraded 4');
});
