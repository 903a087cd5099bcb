import { holdSecret, Secret } from '../../core/secret.js';
import { asObject, parseObject, stringField } from '../../core/text/json.js';
import { unverifiedClaims } from '../id-token.js';

/** The one algorithm of our proofs: every authorization server with DPoP is likely to take it (RFC 7518 section 3.4). */
export const proofAlgorithm = 'ES256';

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** The public members of a key on P-256. */
export interface PublicKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

/** Makes the key of one login. @returns the whole private JWK (RFC 7517) as text */
export async function makeDpopKey(): Promise<Secret> {
  const { subtle } = globalThis.crypto;
  const { privateKey } = await subtle.generateKey(curve, true, ['sign', 'verify']);
  const { kty, crv, x, y, d } = await subtle.exportKey('jwk', privateKey);
  return new Secret(JSON.stringify({ kty, crv, x, y, d }));
}

/** Its public half, from the private JWK's text; undefined for what is no such key. Total. */
export function publicHalfOf(key: Secret): PublicKey | undefined {
  const { kty, crv, x, y, d } = parseObject(key.reveal(), { maxDepth: 2, maxKeys: 20 }) ?? {};
  if (kty !== 'EC' || crv !== 'P-256' || !isCoordinate(x) || !isCoordinate(y) || !isCoordinate(d)) return undefined;
  holdSecret(d);
  return { kty, crv, x, y };
}

/** Its thumbprint (RFC 7638), as in a token's `cnf.jkt` and a request's `dpop_jkt` (RFC 9449 sections 6.1 and 10). */
export async function thumbprintOf(key: Secret): Promise<string> {
  const { crv, kty, x, y } = publicHalfOf(key) ?? {};
  const text = new TextEncoder().encode(JSON.stringify({ crv, kty, x, y }));
  return Buffer.from(await globalThis.crypto.subtle.digest('SHA-256', text)).toString('base64url');
}

/** `cnf.jkt` of a token that is a JWT: the key that it is bound to. Undefined: it does not say; `opaque`: it is no JWT. */
export function keyNamedIn(token: string): { readonly jkt: string | undefined } | 'opaque' {
  const claims = unverifiedClaims(token);
  return claims === undefined ? 'opaque' : { jkt: stringField(asObject(claims['cnf']) ?? {}, 'jkt') };
}

/** 32 bytes in base64url. */
function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value);
}
