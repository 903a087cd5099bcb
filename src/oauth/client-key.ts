import type { JWK } from 'jose';
import { holdSecret, Secret } from '../core/secret.js';
import { type JsonObject, parseObject, stringField } from '../core/text/json.js';

/** The two that every authorization server with `private_key_jwt` is likely to take (RFC 7518 section 3.1). */
const keyAlgorithms = ['ES256', 'RS256'] as const;

export type KeyAlgorithm = (typeof keyAlgorithms)[number];

/** A client's own key pair, for `private_key_jwt`. */
export interface ClientKey {
  /** Its thumbprint (RFC 7638), `kid` in the public half and in each assertion. */
  readonly keyId: string;
  /** What an authorization server is to be given: a JWK (RFC 7517) without anything private. */
  readonly publicJwk: JsonObject;
  /** The whole private JWK as text: what `ClientAuthentication.secret` takes. */
  readonly privateJwk: Secret;
}

const publicNames = { ES256: ['crv', 'kty', 'x', 'y'], RS256: ['e', 'kty', 'n'] } as const;

const privateNames = { ES256: ['d'], RS256: ['d', 'p', 'q', 'dp', 'dq', 'qi'] } as const;

/** Makes a key pair: P-256, or RSA with 3072 bits. */
export async function makeClientKey(algorithm: KeyAlgorithm): Promise<ClientKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength: 3072 });
  const jwk = await exportJWK(privateKey);
  const members = { ...jwk, alg: algorithm, kid: await calculateJwkThumbprint(jwk) } as unknown as JsonObject;
  const key = clientKeyOf(members);
  if (key === undefined) throw new Error('the key that was made has not the members of its kind');
  return key;
}

/** A key pair from its private JWK with `alg` and `kid`; undefined when something is missing. Total. */
export function clientKeyOf(jwk: JsonObject | undefined): ClientKey | undefined {
  const alg = keyAlgorithms.find((name) => name === jwk?.['alg']);
  const kid = jwk?.['kid'];
  if (jwk === undefined || alg === undefined || typeof kid !== 'string') return undefined;
  const members = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, jwk[name]]));
  const shown = members(publicNames[alg]);
  const whole = { ...shown, ...members(privateNames[alg]) };
  if (!Object.values(whole).every((member) => typeof member === 'string')) return undefined;
  for (const name of privateNames[alg]) holdSecret(String(jwk[name]));
  const privateJwk = new Secret(JSON.stringify({ ...whole, kid, alg }));
  return { keyId: kid, publicJwk: { ...shown, kid, alg, use: 'sig' } as JsonObject, privateJwk };
}

/** The `kid` of a private JWK's text; undefined for PEM, and for a JWK without one. */
export function keyIdOf(text: Secret): string | undefined {
  const jwk = parseObject(text.reveal(), { maxDepth: 4, maxKeys: 50 });
  return jwk && stringField(jwk, 'kid');
}

export type ImportedKey =
  /** `keyId`: the `kid` of a JWK, which the authorization server finds the public half by. */
  | { readonly ok: true; readonly key: CryptoKey; readonly keyId: string | undefined }
  /** `why` ends the sentence "the key cannot be used: "; nothing of the key is in it. */
  | { readonly ok: false; readonly why: string };

const smallestRsaBits = 2048;

/**
 * A private key for `private_key_jwt` from its text, PEM with PKCS #8 (RFC 5958), not encrypted, or a JWK (RFC 7517), of
 * the kind that ES256 (P-256) or RS256 (RSA, 2048 bits or more) signs with. Total: what is no such key is a value, never
 * thrown.
 */
export async function importPrivateKey(text: string): Promise<ImportedKey> {
  const isJwk = text.trimStart().startsWith('{');
  const jwk = isJwk ? parseObject(text, { maxDepth: 4, maxKeys: 50 }) : undefined;
  const pem = /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]*-----END PRIVATE KEY-----/.exec(text)?.[0];
  const why = isJwk ? jwkProblem(jwk) : pem === undefined ? pemProblem(text) : undefined;
  if (why !== undefined) return { ok: false, why };
  if (typeof jwk?.['d'] === 'string') holdSecret(jwk['d']);
  const { key_ops: _, use: __, ext: ___, ...bare } = jwk ?? {};
  const { importJWK, importPKCS8 } = await import('jose');
  for (const algorithm of keyAlgorithms) {
    const importing = pem === undefined || isJwk ? importJWK(bare as JWK, algorithm) : importPKCS8(pem, algorithm);
    // Of another kind, or broken: the next kind, or the result below.
    const key = await importing.catch(() => undefined);
    if (key instanceof CryptoKey) return checkSize(key, jwk && stringField(jwk, 'kid'));
  }
  return { ok: false, why: 'it is neither an EC key on P-256 (ES256) nor an RSA key (RS256)' };
}

function jwkProblem(jwk: JsonObject | undefined): string | undefined {
  if (jwk === undefined) return 'it begins like a JWK, and is no JSON object';
  if (jwk['keys'] !== undefined) return 'it is a set of keys (JWKS); one key with its private member "d" is needed';
  const isPrivate = jwk['kty'] !== 'oct' && typeof jwk['d'] === 'string';
  return isPrivate ? undefined : 'it is no private key (a JWK with the member "d")';
}

function pemProblem(text: string): string {
  if (text.includes('BEGIN ENCRYPTED PRIVATE KEY')) {
    return 'it is encrypted (decrypt it with: openssl pkcs8 -in FILE)';
  }
  return / PRIVATE KEY-----/.test(text)
    ? 'it is not in PKCS #8 form (turn it into that with: openssl pkcs8 -topk8 -nocrypt -in FILE)'
    : 'there is no private key in PEM form in it (-----BEGIN PRIVATE KEY-----)';
}

function checkSize(key: CryptoKey, keyId: string | undefined): ImportedKey {
  const bits = 'modulusLength' in key.algorithm ? Number(key.algorithm.modulusLength) : undefined;
  return bits !== undefined && bits < smallestRsaBits
    ? { ok: false, why: `it is an RSA key of ${bits} bits, and at least ${smallestRsaBits} are needed` }
    : { ok: true, key, keyId };
}
