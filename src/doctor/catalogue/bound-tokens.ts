import type { FindingKind } from '../finding.js';

/** Tokens that are bound to a key (DPoP, RFC 9449). */
export const boundTokenFindings = {
  'dpop-not-offered': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the server takes only tokens that are bound to a key, and the authorization server does not offer them',
    remedy:
      'Ask its operator to list ES256 in dpop_signing_alg_values_supported, or the server’s to take other tokens.',
    source: 'RFC 9449 section 5.1, Authorization Server Metadata',
    explanation:
      'The server’s metadata says dpop_bound_access_tokens_required. A client that finds nothing of it at the authorization server would log in for a token that opens nothing.',
  },
  'dpop-algorithm-not-taken': {
    level: 'warning',
    step: 'resource',
    who: 'server',
    title: 'the authorization server binds tokens to keys of ES256, and the server takes no proofs by them',
    remedy: 'Ask the operator to list ES256 in dpop_signing_alg_values_supported of the server’s metadata.',
    source: 'RFC 9728 section 2, dpop_signing_alg_values_supported',
    explanation: 'Logins are made with Bearer tokens then, or not at all where the server takes none.',
  },
  'dpop-not-bound': {
    level: 'warning',
    step: 'redeem',
    who: 'authorization-server',
    title: 'DPoP is announced, and a Bearer token issued in return for a proof',
    remedy: 'Ask its operator to bind the token to the key of the proof (token_type DPoP), or not to announce it.',
    source: 'RFC 9449 section 5, DPoP Access Token Request',
    explanation: 'Whoever steals such a token can use it. Logins that demand more refuse it.',
  },
  'dpop-binding-missing': {
    level: 'failure',
    step: 'token',
    who: 'authorization-server',
    title: 'the server refuses the proofs of a token that does not say what key it is bound to',
    remedy: 'Ask its operator to put cnf with jkt into its access tokens.',
    source: 'RFC 9449 section 6.1, JWK Thumbprint Confirmation Method',
    explanation: 'The server has to compare the key of each proof with that of the token, and found none in it.',
  },
  'dpop-proof-refused': {
    level: 'failure',
    step: 'redeem',
    who: 'authorization-server',
    title: 'the token endpoint refuses the proofs of this client',
    remedy: 'Compare the clocks; else ask its operator to look into its log.',
    source: 'RFC 9449 section 8, Authorization Server-Provided Nonce',
    explanation:
      'Each request had a fresh proof, with the nonce that came before, and by the authorization server’s own clock where it told that.',
  },
  'dpop-refused-by-server': {
    level: 'failure',
    step: 'token',
    who: 'server',
    title: 'the server refuses the proofs of the new token',
    remedy: 'Compare the clocks; else ask the operator to look into the log.',
    source: 'RFC 9449 section 9, Resource Server-Provided Nonce',
    explanation: 'Each request had a fresh proof, with the nonce that came before, and by the server’s own clock.',
  },
  'dpop-clock-off': {
    level: 'warning',
    step: 'token',
    who: 'server',
    title: 'the server’s clock and this machine’s differ by more than its proofs may',
    remedy: 'Set the one that is wrong; the time of day says which.',
    source: 'RFC 9449 section 4.3, Checking DPoP Proofs',
    explanation:
      'The server refused a proof, and took one by its own Date. postern does so by itself; other programs fail.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
