import { isAbsolute } from 'node:path';
import { type ClientAuthMethod, defined, type ProviderReference, type Zone } from '../core/records.js';
import { Secret, type SecretHeader } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { asObject, type JsonObject, parseObject } from '../core/text/json.js';
import { headersFromStore, headersToStore } from '../core/text/secret-headers.js';
import { isKeptAssertion, type KeptAssertion } from './assertions.js';
import {
  type Checks,
  isAuthMethod,
  isFlag,
  isText,
  isTextOrNone,
  isTexts,
  isTime,
  isWhole,
  maybe,
  objectOf,
  oneOf,
  wrongMember,
} from './checks.js';

/** Whose credential it is; the key of its item is a hash over exactly these. */
export interface CredentialBinding {
  /** The canonical URL, query included: the token goes there and below, and nowhere else. */
  readonly server: string;
  /** As the protected resource metadata spells it, whatever a person had asked for. */
  readonly resource: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly account: string;
}

/** What a server's login keeps of the company's provider that vouches for it: never an ID token. */
export interface KeptProvider {
  readonly issuer: string;
  /** Of the client there. */
  readonly clientId: string;
  /** Whom it vouches for: nobody else's login takes this one's place unnoticed. */
  readonly subject?: string;
  /** Where the ID token comes from elsewhere, and where it is exchanged; absent: by the login at the provider. */
  readonly file?: TokenFile;
}

export interface TokenFile {
  readonly path: string;
  readonly tokenEndpoint: string;
  readonly authMethod: ClientAuthMethod;
  readonly zone: Zone;
}

/** What the key of a provider's login has for a resource: no server can be called so. */
export const providerResource = 'urn:postern:provider';

/** What one item of the secret store holds. Times are milliseconds since 1970. */
export interface StoredCredential {
  readonly version: 2;
  readonly binding: CredentialBinding;
  /** Where the secrets may be sent; kept with them, where another program cannot change it unnoticed. */
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly authMethod: ClientAuthMethod;
  readonly accessToken: Secret;
  readonly refreshToken?: Secret;
  /** The client's secret, or, for `private_key_jwt`, its private key (PEM or JWK). */
  readonly clientSecret?: Secret;
  /** What the server wants beside the token, with each request; absent: nothing. */
  readonly headers?: readonly SecretHeader[];
  /** The private JWK that the tokens are bound to (RFC 9449): requests need a proof by it. Absent: they are Bearer tokens. */
  readonly dpopKey?: Secret;
  /** The person, or the server, wants nothing but bound tokens. */
  readonly dpopRequired?: true;
  /** Whose login it is, where the authorization server says so. */
  readonly subject?: string;
  /** Where the platform's token is that stands in for a secret, and whom alone it may go to; never that token. */
  readonly assertion?: KeptAssertion;
  /** The company's provider that vouches for this login (`grant` is `id_jag`). */
  readonly provider?: KeptProvider;
  /** The secret of the client at that provider, where the ID token comes from a file. */
  readonly providerSecret?: Secret;
  /**
   * Of a login at a company's provider: what is shown to it for another token. `id_token`: the access token here is the ID
   * token. `refresh_token`: it issues no other ID token, and is shown the refresh token.
   */
  readonly holds?: 'id_token' | 'refresh_token';
  /** Absent: an authorization code was redeemed. */
  readonly grant?: 'client_credentials' | 'id_jag';
  /** Null when the authorization server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  /** Of the refresh token unless it is used, and of the whole; absent: unknown. */
  readonly refreshExpiresAt?: number;
  readonly authorizationExpiresAt?: number;
  readonly scopes: readonly string[];
  /** What tokens are asked for instead of the binding's resource, by a person's choice; null: nothing at all. */
  readonly requestedResource?: string | null;
  /** Grows with each login of this key. */
  readonly generation: number;
  /** Of a login that machines share: the authorization server has refused its refresh token for good. */
  readonly ended?: boolean;
  /** Never stored: why the half that was read has nothing to refresh with, where the other half has. */
  readonly refreshedElsewhere?: RefreshedElsewhere;
}

/** This machine only reads the store that it shares; it lacks the refreshers' key. */
export type RefreshedElsewhere = 'read-only' | 'no-key';

export type DecodedCredential =
  | { readonly ok: true; readonly credential: StoredCredential }
  /** `newer`: a later release wrote it. `binding`: a whole credential, but another one's. */
  | { readonly ok: false; readonly problem: 'corrupt' | 'newer' | 'binding' };

/** The stored form: one line of versioned JSON that repeats its own binding. */
export function encodeCredential(credential: StoredCredential): Secret {
  const { accessToken, refreshToken, clientSecret, providerSecret, dpopKey, headers, binding, ...rest } = credential;
  const { server, resource, issuer, clientId, account } = binding;
  return new Secret(
    JSON.stringify({
      ...rest,
      binding: { server, resource, issuer, clientId, account },
      accessToken: accessToken.reveal(),
      refreshToken: refreshToken?.reveal(),
      clientSecret: clientSecret?.reveal(),
      providerSecret: providerSecret?.reveal(),
      dpopKey: dpopKey?.reveal(),
      headers: headers && headersToStore(headers),
    }),
  );
}

/**
 * The credential in an item's text, if it is whole, of a version known here, and the expected one. Members that
 * are not known are left out: a release that cannot do without one raises the version.
 */
export function decodeCredential(text: string, expected: CredentialBinding): DecodedCredential {
  const item = parseObject(text, { maxDepth: 8 });
  const version = item?.['version'];
  if (Number.isSafeInteger(version) && Number(version) > 2) return { ok: false, problem: 'newer' };
  const credential = item?.['version'] === 2 ? credentialOf(item) : undefined;
  if (credential === undefined) return { ok: false, problem: 'corrupt' };
  const { binding } = credential;
  if (!bindingParts.every((part) => binding[part] === expected[part])) return { ok: false, problem: 'binding' };
  return { ok: true, credential };
}

/** The store key of a credential: hex, 64 characters, nothing of the parts can be read from it. */
export function credentialKey(binding: CredentialBinding): Promise<string> {
  return hashOfParts(['postern credential', ...bindingParts.map((part) => binding[part])]);
}

/** The store key of a client registration's secret. */
export function registrationKey(issuer: string, clientId: string): Promise<string> {
  return hashOfParts(['postern registration', issuer, clientId]);
}

const bindingParts = ['server', 'resource', 'issuer', 'clientId', 'account'] as const;

const isTokenFile = objectOf({
  path: (path) => typeof path === 'string' && isAbsolute(path),
  tokenEndpoint: isText,
  authMethod: isAuthMethod,
  zone: oneOf('public', 'private', 'loopback'),
});

const isKeptProvider = objectOf({ issuer: isText, clientId: isText, subject: maybe(isText), file: maybe(isTokenFile) });

const itemChecks = {
  tokenEndpoint: isText,
  revocationEndpoint: maybe(isText),
  authMethod: isAuthMethod,
  accessToken: (value) => typeof value === 'string' && isTokenText(value),
  refreshToken: maybe(isText),
  clientSecret: maybe(isText),
  dpopKey: maybe(isText),
  dpopRequired: maybe((value) => value === true),
  headers: maybe((value) => headersFromStore(value) !== undefined),
  subject: maybe(isText),
  assertion: maybe(isKeptAssertion),
  provider: maybe(isKeptProvider),
  providerSecret: maybe(isText),
  holds: maybe(oneOf('id_token', 'refresh_token')),
  grant: maybe(oneOf('client_credentials', 'id_jag')),
  expiresAt: isTime,
  obtainedAt: isWhole,
  refreshExpiresAt: maybe(isWhole),
  authorizationExpiresAt: maybe(isWhole),
  scopes: isTexts,
  requestedResource: maybe(isTextOrNone),
  generation: isWhole,
  ended: maybe(isFlag),
  refreshedElsewhere: maybe(oneOf('read-only', 'no-key')),
} satisfies Checks;

const secretMembers: readonly string[] = ['accessToken', 'refreshToken', 'clientSecret', 'providerSecret', 'dpopKey'];

function credentialOf(item: JsonObject): StoredCredential | undefined {
  const named = asObject(item['binding']) ?? {};
  const texts = bindingParts.map((part) => [part, named[part]] as const);
  if (!texts.every(([, text]) => isText(text)) || wrongMember(item, itemChecks) !== undefined) return undefined;
  const members = Object.keys(itemChecks).flatMap((name) => {
    const value = item[name];
    if (value === undefined) return [];
    return [[name, secretMembers.includes(name) ? new Secret(String(value)) : value] as const];
  });
  return {
    version: 2,
    binding: Object.fromEntries(texts),
    ...Object.fromEntries(members),
    ...defined({ headers: headersFromStore(item['headers']) }),
  } as unknown as StoredCredential;
}

/** What the index tells of it. */
export function recordOfProvider({ issuer, clientId, file }: KeptProvider): ProviderReference {
  return { issuer, clientId, ...(file === undefined ? {} : { tokenFile: file.path }) };
}

/**
 * SHA-256 over the parts, each with its length before it, so that no two lists of parts give the same bytes. The
 * bytes are UTF-16 code units: UTF-8 would make one of all lone surrogates. Hex, 64 characters.
 */
export async function hashOfParts(parts: readonly string[]): Promise<string> {
  const pieces = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, Buffer.from(part, 'utf16le').swap16()];
  });
  const digest = await globalThis.crypto.subtle.digest('SHA-256', Buffer.concat(pieces));
  return Buffer.from(digest).toString('hex');
}
