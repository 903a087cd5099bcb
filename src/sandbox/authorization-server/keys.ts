import { createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

type Jwk = Readonly<Record<string, unknown>> & { readonly kid: string; readonly alg: string };

/** The signing keys of one authorization server, made when it starts and gone with it. */
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
  return { signing: made.map((pair) => pair.signing), verifying: made.map((pair) => pair.verifying) };
}

function describe(privateKey: KeyObject, alg: string): { signing: Jwk; verifying: Jwk } {
  const about = { kid: randomUUID(), alg, use: 'sig' };
  return {
    signing: { ...privateKey.export({ format: 'jwk' }), ...about },
    verifying: { ...createPublicKey(privateKey).export({ format: 'jwk' }), ...about },
  };
}
