import { generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

type Jwk = Readonly<Record<string, unknown>> & { readonly kid: string; readonly alg: string };

/** The signing keys of one authorization server, made when it starts and gone with it. */
export interface SigningKeys {
  /** Private JSON Web Keys, for the authorization server. */
  readonly signing: readonly Jwk[];
  /** Their public halves, for whoever verifies (RFC 7517). */
  readonly verifying: readonly Jwk[];
}

/** One ES256 key, which signs access tokens, and one RS256 key, which OpenID Connect demands. */
export async function makeSigningKeys(): Promise<SigningKeys> {
  const generate = promisify(generateKeyPair);
  const [elliptic, rsa] = await Promise.all([
    generate('ec', { namedCurve: 'P-256' }),
    generate('rsa', { modulusLength: 2048 }),
  ]);
  const made = [
    describe(elliptic.privateKey, elliptic.publicKey, 'ES256'),
    describe(rsa.privateKey, rsa.publicKey, 'RS256'),
  ];
  return { signing: made.map((pair) => pair.signing), verifying: made.map((pair) => pair.verifying) };
}

function describe(privateKey: KeyObject, publicKey: KeyObject, alg: string): { signing: Jwk; verifying: Jwk } {
  const about = { kid: randomUUID(), alg, use: 'sig' };
  return {
    signing: { ...privateKey.export({ format: 'jwk' }), ...about },
    verifying: { ...publicKey.export({ format: 'jwk' }), ...about },
  };
}
