import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';

/** A private JSON Web Key with what it is for (RFC 7517). */
export type Jwk = Readonly<Record<string, unknown>> & { readonly kid: string; readonly alg: string };

/** The signing keys of one authorization server. */
export interface SigningKeys {
  /** Private JSON Web Keys, for the authorization server. */
  readonly signing: readonly Jwk[];
  /** Their public halves, for whoever verifies (RFC 7517). */
  readonly verifying: readonly Jwk[];
}

/** One ES256 key, which signs access tokens and ID tokens. */
export function makeSigningKeys(): SigningKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return withPublicHalves([{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' }]);
}

/** The keys that an earlier run has made. @throws Error for what is no private key */
export function withPublicHalves(signing: readonly Jwk[]): SigningKeys {
  const verifying = signing.map((key) => {
    const { kid, alg } = key;
    const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
    return { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg, use: 'sig' };
  });
  return { signing, verifying };
}
