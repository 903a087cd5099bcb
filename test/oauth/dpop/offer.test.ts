import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProofChoice, type ProofMetadata, proofUse } from '../../../src/oauth/dpop/offer.js';
import { Failure } from '../../support/product.js';

const plain: ProofMetadata = {
  server: 'https://server.example/mcp',
  issuer: 'https://as.example',
  issuerAlgorithms: undefined,
  serverAlgorithms: undefined,
  isRequired: false,
  isChallenged: false,
};
const offered = { ...plain, issuerAlgorithms: ['RS256', 'ES256'] };
const asked = { ...offered, serverAlgorithms: ['ES256'] };
const login = { given: undefined, server: plain.server };

function outcome(metadata: ProofMetadata, choice?: ProofChoice, held = false): string {
  try {
    return proofUse(metadata, { choice, held }, login);
  } catch (error) {
    assert.ok(error instanceof Failure);
    return `${error.code} ${error.exit}`;
  }
}

test('a login is bound to a key where the protected server asks for it: that the authorization server announces it is not enough', () => {
  assert.equal(outcome(plain), 'none');
  assert.equal(outcome(offered), 'none');
  assert.equal(outcome({ ...offered, serverAlgorithms: [] }), 'none');
  assert.equal(outcome({ ...offered, serverAlgorithms: ['EdDSA'] }), 'none');
  assert.equal(outcome(asked), 'used');
  assert.equal(outcome({ ...offered, isChallenged: true }), 'used');
  assert.equal(outcome({ ...asked, issuerAlgorithms: ['RS256'] }), 'none');
  assert.equal(outcome({ ...plain, isChallenged: true }), 'none');
});

test('what a person or the server demands is demanded, and refused before the login where it is not announced', () => {
  assert.equal(outcome(offered, 'always'), 'required');
  assert.equal(outcome({ ...offered, isRequired: true }), 'required');
  assert.equal(outcome(plain, 'always'), 'dpop_not_offered 2');
  assert.equal(outcome({ ...plain, isRequired: true }), 'dpop_not_offered 5');
  assert.equal(outcome({ ...offered, serverAlgorithms: [] }, 'always'), 'dpop_not_taken 5');
});

test('--no-dpop is a Bearer token, but where the server takes none', () => {
  assert.equal(outcome(offered, 'never'), 'none');
  assert.equal(outcome(offered, 'never', true), 'none');
  assert.equal(outcome({ ...offered, isRequired: true }, 'never'), 'dpop_needed 2');
});

test('a login that was bound to a key is not quietly replaced by one that is not, while the server asks for that', () => {
  assert.equal(outcome(asked, undefined, true), 'required');
  assert.equal(outcome({ ...asked, issuerAlgorithms: undefined }, undefined, true), 'dpop_downgraded 4');
  assert.equal(outcome({ ...plain, isChallenged: true }, undefined, true), 'dpop_downgraded 4');
  assert.equal(outcome(offered, undefined, true), 'none');
  assert.equal(outcome({ ...offered, serverAlgorithms: ['EdDSA'] }, undefined, true), 'dpop_downgraded 4');
});
