import {
  asObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringField,
  stringListField,
} from '../../core/text/json.js';
import { oauthError, type SentResponse } from '../wire/response.js';
import { deviceGrant } from './device-flow.js';

const maxRedirectUris = 20;

/** What would make this server ask other addresses that the client chose. */
const references = ['jwks_uri', 'sector_identifier_uri', 'request_uris'];

/** Refuses a registration (RFC 7591) with metadata that is not taken here. All else is validated by oidc-provider. */
export function refusedRegistration(body: Buffer): SentResponse | undefined {
  const parsed = parseJson(body);
  const metadata = parsed.ok ? asObject(parsed.value) : undefined;
  if (metadata === undefined) return oauthError(400, 'invalid_client_metadata', 'the request is not a JSON object');
  if (stringListField(metadata, 'grant_types')?.includes('client_credentials')) {
    const why = 'only clients that were set up with this server get tokens without a person';
    return oauthError(400, 'invalid_client_metadata', why);
  }
  const problem = problemOfMetadata(metadata);
  if (problem !== undefined) return oauthError(400, 'invalid_client_metadata', `the client ${problem}`);
  return hasAcceptableUris(metadata)
    ? undefined
    : oauthError(400, 'invalid_redirect_uri', 'redirect URIs must be https, or http on a loopback address');
}

/** By these a person logs in. A client that nobody here has set up gets no token without one. */
const interactiveGrants: readonly string[] = ['authorization_code', deviceGrant];

/**
 * The client that a metadata document describes (client ID metadata document draft section 4.1); all else is validated by
 * oidc-provider. A document is written for many servers: the grants that this one gives no stranger are left out.
 * @returns a string: why it is not taken, which finishes "the client's metadata document …"; nothing of the document is in it
 */
export function clientOfDocument(document: JsonObject): JsonObject | string {
  if ((stringField(document, 'client_name') ?? '').trim() === '') return 'has no client_name';
  if (!hasAcceptableUris(document)) {
    return 'has redirect_uris that are neither https nor http on a loopback address, or more than 20';
  }
  const problem = problemOfMetadata(document);
  if (problem !== undefined) return problem;
  const grants = document['grant_types'] === undefined ? undefined : (stringListField(document, 'grant_types') ?? []);
  if (grants?.some((grant) => interactiveGrants.includes(grant)) === false) {
    return 'has no grant type in its grant_types by which a person logs in';
  }
  const taken = grants?.filter((grant) => grant === 'refresh_token' || interactiveGrants.includes(grant));
  // Without a method it is a public client: the default of RFC 7591 would need a secret, and none is allowed here.
  return { token_endpoint_auth_method: 'none', ...document, ...(taken && { grant_types: taken }) };
}

/** Addresses to fetch more from, or keys that are not to be had. Finishes "the client …". */
function problemOfMetadata(metadata: JsonObject): string | undefined {
  const reference = references.find((name) => metadata[name] !== undefined);
  if (reference !== undefined) return `names a ${reference}, and this server fetches nothing else for a client`;
  return metadata['jwks'] === undefined ? undefined : problemOfKeySet(metadata['jwks']);
}

function hasAcceptableUris({ redirect_uris: uris }: JsonObject): boolean {
  return uris === undefined || (Array.isArray(uris) && uris.length <= maxRedirectUris && uris.every(isAcceptable));
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
