import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

/** A private JSON Web Key with what it is for (RFC 7517). */
export type Jwk = Readonly<Record<string, unknown>> & { readonly kid: string; readonly alg: string };

/** The signing keys of one authorization server. */
export interface SigningKeys {
  /** Private JSON Web Keys, for the authorization server. */
  readonly signing: readonly Jwk[];
  /** Their public halves, for whoever verifies (RFC 7517). */
  readonly verifying: readonly Jwk[];
}

/** The key that OpenID Connect demands (RS256). It takes about 150 ms to make. */
export async function makeRsaKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })).privateKey;
}

/** One ES256 key, which signs access tokens, and the RS256 key. */
export async function makeSigningKeys(rsaKey: KeyObject | undefined): Promise<SigningKeys> {
  const [elliptic, rsa] = await Promise.all([
    promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }),
    rsaKey ?? makeRsaKey(),
  ]);
  const made = [describe(elliptic.privateKey, 'ES256'), describe(rsa, 'RS256')];
  return withPublicHalves(made);
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

function describe(privateKey: KeyObject, alg: string): Jwk {
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg, use: 'sig' };
}
