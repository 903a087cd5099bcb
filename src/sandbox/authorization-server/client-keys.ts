import { asObject, type JsonValue } from '../../core/text/json.js';

/** Members that only a private or a shared key has (RFC 7518 section 6). */
const privateParts = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Each key is tried on an assertion that does not name one. */
const maxKeys = 20;

/** 4096 bits and 32 bits in base64url: the work of one verification grows with both. */
const longestModulus = 683;

const longestExponent = 6;

/**
 * Why a client's key set (RFC 7517 section 5) is not taken: absent keys, keys that are not for the public, and keys
 * that cost this server more than an honest client's. Finishes the sentence "the client …"; undefined: it is taken.
 */
export function problemOfKeySet(jwks: JsonValue | undefined): string | undefined {
  const keys = asObject(jwks)?.['keys'];
  if (!Array.isArray(keys) || keys.length === 0) return 'has a jwks without keys';
  if (keys.length > maxKeys) return `has more than ${maxKeys} keys in its jwks`;
  for (const key of keys.map(asObject)) {
    if (key === undefined) return 'has a jwks with something else than keys in it';
    const { kty, n, e } = key;
    if (kty === 'oct') return 'has a shared key in its jwks';
    if (privateParts.some((part) => key[part] !== undefined)) return 'has a private key in its jwks';
    if (kty === 'RSA' && !(isWithin(n, longestModulus) && isWithin(e, longestExponent))) {
      return 'has an RSA key in its jwks of more than 4096 bits, or with an exponent of more than 32';
    }
  }
  return undefined;
}

function isWithin(value: JsonValue | undefined, longest: number): boolean {
  return typeof value === 'string' && value.length <= longest;
}
