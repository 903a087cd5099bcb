import { jsonResponse } from '../wire/response.js';
import { type Fault, faultsAt } from './fault.js';

/** What the servers do themselves where these are on. */
export const nonceEachTime = 'dpop-nonce-each-time';

export const clockOff = 'dpop-clock-off';

export const bindingLost = 'dpop-binding-lost';

export const unknownToServer = 'dpop-unknown-to-server';

const token = faultsAt('token');

const metadata = faultsAt('metadata');

const resource = faultsAt('resource-metadata');

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
    token.instead('dpop-token-nonce-never', [], 'the same at the token endpoint', () => {
      asked += 1;
      return jsonResponse(400, { error: 'use_dpop_nonce' }, [['dpop-nonce', `nonce-${asked}`]]);
    }),
    token.instead('dpop-token-proof-refused', [], 'each proof is refused there', () =>
      jsonResponse(400, { error: 'invalid_dpop_proof', error_description: 'no' }),
    ),
    token.patch('dpop-token-bearer', [116], 'token_type is Bearer, whatever was asked', () => ({
      token_type: 'Bearer',
    })),
    metadata.patch('dpop-not-announced', [], 'DPoP is not announced', () => takes(undefined)),
    metadata.patch('dpop-other-algorithm', [], 'DPoP with RS256 alone', () => takes(['RS256'])),
    resource.patch('dpop-server-other-algorithm', [], 'the server takes proofs with EdDSA alone', () =>
      takes(['EdDSA']),
    ),
    resource.patch('dpop-not-in-metadata', [], 'the server names DPoP in its 401 alone', () => ({
      ...takes(undefined),
      dpop_bound_access_tokens_required: undefined,
    })),
    played(unknownToServer, 'the server knows Bearer tokens alone, though DPoP is announced'),
  ];
}

const takes = (algorithms: readonly string[] | undefined) => ({ dpop_signing_alg_values_supported: algorithms });

/** The servers look at its name. */
export function played(name: string, what: string): Fault {
  return { name, rows: [], what };
}

type Refusal = readonly [error: string, headers: readonly (readonly [name: string, value: string])[]];

/** The protected server refuses each proof with that. */
function refusing(name: string, what: string, refusal: () => Refusal): Fault {
  return faultsAt('protected').instead(name, [], what, ({ scheme }) => {
    if (scheme !== 'dpop') return undefined;
    const [error, headers] = refusal();
    return jsonResponse(401, { error }, [['www-authenticate', `DPoP error="${error}", algs="ES256"`], ...headers]);
  });
}
