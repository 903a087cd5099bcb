import { jsonResponse } from '../wire/response.js';
import { type Fault, insteadFault, jsonFault } from './fault.js';

/** What the servers do themselves where these are on. */
export const nonceEachTime = 'dpop-nonce-each-time';

export const clockOff = 'dpop-clock-off';

export const bindingLost = 'dpop-binding-lost';

export const unknownToServer = 'dpop-unknown-to-server';

/** I: tokens that are bound to a key (RFC 9449), with --dpop. */
export function dpopFaults(): readonly Fault[] {
  let asked = 0;
  return [
    played(nonceEachTime, 'each nonce of the server is good for one request'),
    played(clockOff, 'the server’s clock is ten minutes ahead'),
    played(bindingLost, 'the access token does not say what key it is bound to (no cnf)'),
    refusing('dpop-nonce-never', 'another nonce is asked for each time, and none is ever good', () => {
      asked += 1;
      return ['use_dpop_nonce', [['dpop-nonce', `nonce-${asked}`]]];
    }),
    refusing('dpop-nonce-absent', 'a nonce is asked for, and none is given', () => ['use_dpop_nonce', []]),
    refusing('dpop-proof-refused', 'each proof is refused', () => ['invalid_dpop_proof', []]),
    insteadFault('token', { name: 'dpop-token-nonce-never', rows: [], what: 'the same at the token endpoint' }, () => {
      asked += 1;
      return jsonResponse(400, { error: 'use_dpop_nonce' }, [['dpop-nonce', `nonce-${asked}`]]);
    }),
    insteadFault('token', { name: 'dpop-token-proof-refused', rows: [], what: 'each proof is refused there' }, () =>
      jsonResponse(400, { error: 'invalid_dpop_proof', error_description: 'no' }),
    ),
    jsonFault(
      'token',
      { name: 'dpop-token-bearer', rows: [116], what: 'token_type is Bearer, whatever was asked' },
      (token) => ({ ...token, token_type: 'Bearer' }),
    ),
    jsonFault('metadata', { name: 'dpop-not-announced', rows: [], what: 'DPoP is not announced' }, (document) => ({
      ...document,
      dpop_signing_alg_values_supported: undefined,
    })),
    jsonFault('metadata', { name: 'dpop-other-algorithm', rows: [], what: 'DPoP with RS256 alone' }, (document) => ({
      ...document,
      dpop_signing_alg_values_supported: ['RS256'],
    })),
    jsonFault(
      'resource-metadata',
      { name: 'dpop-server-other-algorithm', rows: [], what: 'the server takes proofs with EdDSA alone' },
      (document) => ({ ...document, dpop_signing_alg_values_supported: ['EdDSA'] }),
    ),
    jsonFault(
      'resource-metadata',
      { name: 'dpop-not-in-metadata', rows: [], what: 'the server names DPoP in its 401 alone' },
      (document) => ({
        ...document,
        dpop_signing_alg_values_supported: undefined,
        dpop_bound_access_tokens_required: undefined,
      }),
    ),
    played(unknownToServer, 'the server knows Bearer tokens alone, though DPoP is announced'),
  ];
}

/** The servers look at its name. */
function played(name: string, what: string): Fault {
  return { name, rows: [], what };
}

type Refusal = readonly [error: string, headers: readonly (readonly [name: string, value: string])[]];

/** The protected server refuses each proof with that. */
function refusing(name: string, what: string, refusal: () => Refusal): Fault {
  return {
    name,
    rows: [],
    what,
    instead: ({ point, scheme }) => {
      if (point !== 'protected' || scheme !== 'dpop') return undefined;
      const [error, headers] = refusal();
      return jsonResponse(401, { error }, [['www-authenticate', `DPoP error="${error}", algs="ES256"`], ...headers]);
    },
  };
}
