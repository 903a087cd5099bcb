import { asObject, type JsonObject, parseJson, stringField } from '../../primitives/json.js';
import { Secret } from '../../primitives/secret.js';

/** The two that every authorization server with `private_key_jwt` is likely to take (RFC 7518 section 3.1). */
export const keyAlgorithms = ['ES256', 'RS256'] as const;
export type KeyAlgorithm = (typeof keyAlgorithms)[number];

/** A client's own key pair, for `private_key_jwt`. */
export interface ClientKey {
  readonly algorithm: KeyAlgorithm;
  /** Its thumbprint (RFC 7638), which stands as `kid` in the public half and in each assertion. */
  readonly keyId: string;
  /** What an authorization server is to be given: a JWK (RFC 7517) without anything private. */
  readonly publicJwk: JsonObject;
  /** The private members alone, by their names. */
  readonly privateMembers: ReadonlyMap<string, Secret>;
}

const publicNames = { ES256: ['crv', 'kty', 'x', 'y'], RS256: ['e', 'kty', 'n'] } as const;
const privateNames = { ES256: ['d'], RS256: ['d', 'p', 'q', 'dp', 'dq', 'qi'] } as const;

/** Makes a key pair: P-256, or RSA with 3072 bits. */
export async function makeClientKey(algorithm: KeyAlgorithm): Promise<ClientKey> {
  const { subtle } = globalThis.crypto;
  const pair =
    algorithm === 'ES256'
      ? await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
      : await subtle.generateKey(
          {
            name: 'RSASSA-PKCS1-v1_5',
            hash: 'SHA-256',
            modulusLength: 3072,
            publicExponent: new Uint8Array([1, 0, 1]),
          },
          true,
          ['sign', 'verify'],
        );
  const jwk = (await subtle.exportKey('jwk', pair.privateKey)) as unknown as JsonObject;
  const key = clientKeyOf({ ...jwk, alg: algorithm, kid: await thumbprint(jwk, algorithm) });
  if (key === undefined) {
    throw new Error('the key that was made has not the members of its kind');
  }
  return key;
}

/** A key pair from its private JWK with `alg` and `kid`; undefined when something is missing. Total. */
export function clientKeyOf(jwk: JsonObject | undefined): ClientKey | undefined {
  const algorithm = keyAlgorithms.find((name) => name === jwk?.['alg']);
  const keyId = jwk?.['kid'];
  if (jwk === undefined || algorithm === undefined || typeof keyId !== 'string') {
    return undefined;
  }
  const members = [...publicNames[algorithm], ...privateNames[algorithm]];
  if (!members.every((name) => typeof jwk[name] === 'string')) {
    return undefined;
  }
  const shown = publicNames[algorithm].map((name) => [name, jwk[name]]);
  const hidden = privateNames[algorithm].map((name) => [name, new Secret(String(jwk[name]))] as const);
  return {
    algorithm,
    keyId,
    publicJwk: { ...Object.fromEntries(shown), kid: keyId, alg: algorithm, use: 'sig' },
    privateMembers: new Map(hidden),
  };
}

/** The whole private JWK as text: what `ClientAuthentication.secret` takes for `private_key_jwt`. */
export function privateText({ algorithm, keyId, publicJwk, privateMembers }: ClientKey): Secret {
  const shown = publicNames[algorithm].map((name) => [name, publicJwk[name]]);
  const hidden = [...privateMembers].map(([name, value]) => [name, value.reveal()]);
  return new Secret(
    JSON.stringify({ ...Object.fromEntries([...shown, ...hidden]), kid: keyId, alg: algorithm }),
  );
}

/** The `kid` of a private JWK's text; undefined for PEM, and for a JWK without one. */
export function keyIdOf(text: Secret): string | undefined {
  const parsed = parseJson(new TextEncoder().encode(text.reveal()), { maxDepth: 4, maxKeys: 50 });
  const jwk = parsed.ok ? asObject(parsed.value) : undefined;
  return jwk && stringField(jwk, 'kid');
}

/** RFC 7638: SHA-256 over the required members, in the order of their names, without a blank. */
async function thumbprint(jwk: JsonObject, algorithm: KeyAlgorithm): Promise<string> {
  const members = Object.fromEntries(publicNames[algorithm].map((name) => [name, jwk[name]]));
  const bytes = new TextEncoder().encode(JSON.stringify(members));
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
