import { Secret } from '../../primitives/secret.js';

/** What proves that an answer belongs to our request: `state`, and PKCE's verifier with its S256 challenge. */
export interface Proof {
  readonly state: Secret;
  readonly verifier: Secret;
  readonly codeChallenge: string;
}

/** Fresh random state and verifier, 256 bits each (RFC 7636 section 4). Never used for a second attempt. */
export async function newProof(): Promise<Proof> {
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } = await import(
    'oauth4webapi'
  );
  const verifier = generateRandomCodeVerifier();
  return {
    state: new Secret(generateRandomState()),
    verifier: new Secret(verifier),
    codeChallenge: await calculatePKCECodeChallenge(verifier),
  };
}
