import { asObject, type JsonValue } from '../../core/text/json.js';
import { oauthError, type SentResponse } from '../wire/response.js';

const maxRedirectUris = 20;

/**
 * Refuses a registration (RFC 7591) whose redirect URIs could lead elsewhere than https or this machine,
 * whatever application type it claims, that names addresses to fetch more from, that wants tokens for itself, or
 * whose keys are not to be had. All else is validated by oidc-provider.
 */
export function refusedRegistration(body: Buffer): SentResponse | undefined {
  let metadata: unknown;
  try {
    metadata = JSON.parse(body.toString('utf8'));
  } catch {
    return oauthError(400, 'invalid_client_metadata', 'the request is not JSON');
  }
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return oauthError(400, 'invalid_client_metadata', 'the request is not a JSON object');
  }
  const reference = ['jwks_uri', 'sector_identifier_uri'].find((name) => name in metadata);
  if (reference !== undefined) {
    return oauthError(
      400,
      'invalid_client_metadata',
      `nothing is fetched for a client, so no ${reference}; put keys in jwks`,
    );
  }
  const grants: unknown = (metadata as Record<string, unknown>)['grant_types'];
  if (Array.isArray(grants) && grants.includes('client_credentials')) {
    const why = 'only clients that were set up with this server get tokens without a person';
    return oauthError(400, 'invalid_client_metadata', why);
  }
  const { jwks } = metadata as { readonly jwks?: JsonValue };
  const problem = jwks === undefined ? undefined : problemOfKeySet(jwks);
  if (problem !== undefined) return oauthError(400, 'invalid_client_metadata', `the client ${problem}`);
  const uris: unknown = (metadata as Record<string, unknown>)['redirect_uris'];
  if (uris === undefined) return undefined;
  if (!Array.isArray(uris) || uris.length > maxRedirectUris || !uris.every(isAcceptable)) {
    return oauthError(400, 'invalid_redirect_uri', 'redirect URIs must be https, or http on a loopback address');
  }
  return undefined;
}

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

const loopbackLiteral = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?((?:[/?].*)?)$/;

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether a redirect URI of a request is one of the registered ones: character for character, but for the
 * port of a loopback literal (RFC 8252 section 7.3, RFC 9700 section 4.1.3). `localhost` is no literal.
 */
export function isRegistered(asked: string, registered: readonly string[], ports: 'any' | 'exact'): boolean {
  if (registered.includes(asked)) return true;
  const bare = withoutPort(asked);
  return ports === 'any' && bare !== undefined && registered.some((uri) => withoutPort(uri) === bare);
}

/** Whether a client may register it at all: https, or plain http on this machine (RFC 9700 section 2.6). */
export function isAcceptable(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.length > 2048 || !URL.canParse(uri)) return false;
  const url = new URL(uri);
  if (uri.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname));
}

/** Whether it leads to this machine, as every program on it may listen there. */
export function isLoopback(uri: string): boolean {
  return URL.canParse(uri) && loopbackHosts.has(new URL(uri).hostname);
}

function withoutPort(uri: string): string | undefined {
  const [, host, , rest] = loopbackLiteral.exec(uri) ?? [];
  return host === undefined ? undefined : `${host}${rest}`;
}
