import type { ClientAuthMethod } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { asObject, type JsonObject, parseObject, stringField, stringListField } from '../core/text/json.js';

/** Whose credential it is; the key of its item is a hash over exactly these. */
export interface CredentialBinding {
  /** The canonical URL, query included: the token goes there and below, and nowhere else. */
  readonly server: string;
  /** As the protected resource metadata spells it. */
  readonly resource: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly account: string;
}

/** What one item of the secret store holds. Times are milliseconds since 1970. */
export interface StoredCredential {
  /** Version 1 had no server in its binding. */
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
  /** Whose login it is, where the authorization server told that. */
  readonly subject?: string;
  /** Absent: an authorization code was redeemed. */
  readonly grant?: 'client_credentials';
  /** Null when the authorization server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  readonly scopes: readonly string[];
  /** Grows with each login of this key. */
  readonly generation: number;
}

export type DecodedCredential =
  | { readonly ok: true; readonly credential: StoredCredential }
  /** Version 1, which does not say for which server it is; `credential` has the expected one. */
  | { readonly ok: false; readonly problem: 'older'; readonly credential: StoredCredential }
  /** `newer`: a later release wrote it. `binding`: a whole credential, but another one's. */
  | { readonly ok: false; readonly problem: 'corrupt' | 'newer' | 'binding' };

/** The stored form: one line of versioned JSON that repeats its own binding. */
export function encodeCredential(credential: StoredCredential): Secret {
  const { accessToken, refreshToken, clientSecret, binding, ...rest } = credential;
  const { server, resource, issuer, clientId, account } = binding;
  return new Secret(
    JSON.stringify({
      ...rest,
      binding: { server, resource, issuer, clientId, account },
      accessToken: accessToken.reveal(),
      refreshToken: refreshToken?.reveal(),
      clientSecret: clientSecret?.reveal(),
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
  if (item === undefined || !Number.isSafeInteger(version) || Number(version) < 1) {
    return { ok: false, problem: 'corrupt' };
  }
  if (version !== 1 && version !== 2) return { ok: false, problem: 'newer' };
  const credential = credentialOf(item, version === 1 ? expected.server : undefined);
  if (credential === undefined) return { ok: false, problem: 'corrupt' };
  const { binding } = credential;
  if (!bindingParts.every((part) => binding[part] === expected[part])) return { ok: false, problem: 'binding' };
  return version === 1 ? { ok: false, problem: 'older', credential } : { ok: true, credential };
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

const authMethods: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** @param server That of an item which names none. */
function credentialOf(item: JsonObject, server: string | undefined): StoredCredential | undefined {
  const binding = bindingOf(asObject(item['binding']), server);
  const tokenEndpoint = stringField(item, 'tokenEndpoint');
  const authMethod = stringField(item, 'authMethod');
  const accessToken = stringField(item, 'accessToken');
  const scopes = stringListField(item, 'scopes');
  const expiresAt = item['expiresAt'] === null ? null : timeField(item, 'expiresAt');
  const obtainedAt = timeField(item, 'obtainedAt');
  const generation = timeField(item, 'generation');
  const optional = optionalFields(item);
  if (
    binding === undefined ||
    tokenEndpoint === undefined ||
    authMethod === undefined ||
    !authMethods.includes(authMethod) ||
    accessToken === undefined ||
    !isTokenText(accessToken) ||
    scopes === undefined ||
    expiresAt === undefined ||
    obtainedAt === undefined ||
    generation === undefined ||
    optional === undefined
  ) {
    return undefined;
  }
  return {
    version: 2,
    binding,
    tokenEndpoint,
    authMethod: authMethod as ClientAuthMethod,
    accessToken: new Secret(accessToken),
    ...optional,
    expiresAt,
    obtainedAt,
    scopes,
    generation,
  };
}

function bindingOf(object: JsonObject | undefined, expected: string | undefined): CredentialBinding | undefined {
  const [named, resource, issuer, clientId, account] = bindingParts.map((part) => object && stringField(object, part));
  const server = expected ?? named;
  return server === undefined ||
    resource === undefined ||
    issuer === undefined ||
    clientId === undefined ||
    account === undefined
    ? undefined
    : { server, resource, issuer, clientId, account };
}

function optionalFields(
  item: JsonObject,
): Pick<StoredCredential, 'refreshToken' | 'clientSecret' | 'revocationEndpoint' | 'grant' | 'subject'> | undefined {
  const { refreshToken, clientSecret, revocationEndpoint, grant, subject } = item;
  const texts = [refreshToken, clientSecret, revocationEndpoint, subject];
  const knownGrant = grant === undefined || grant === 'client_credentials';
  if (!knownGrant || !texts.every((text) => text === undefined || typeof text === 'string')) return undefined;
  return {
    ...(typeof refreshToken === 'string' ? { refreshToken: new Secret(refreshToken) } : {}),
    ...(typeof clientSecret === 'string' ? { clientSecret: new Secret(clientSecret) } : {}),
    ...(typeof revocationEndpoint === 'string' ? { revocationEndpoint } : {}),
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(grant === undefined ? {} : { grant }),
  };
}

/** A whole number from 0 on. */
function timeField(item: JsonObject, name: string): number | undefined {
  const value = item[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * SHA-256 over the parts, each with its length before it, so that no two lists of parts give the same bytes. The
 * bytes are UTF-16 code units: UTF-8 would make one of all lone surrogates. Hex, 64 characters: nothing of the parts
 * can be read from it.
 */
export async function hashOfParts(parts: readonly string[]): Promise<string> {
  const length = parts.reduce((sum, part) => sum + 4 + 2 * part.length, 0);
  const bytes = new DataView(new ArrayBuffer(length));
  let at = 0;
  for (const part of parts) {
    bytes.setUint32(at, part.length);
    at += 4;
    for (let index = 0; index < part.length; index += 1) {
      bytes.setUint16(at, part.charCodeAt(index));
      at += 2;
    }
  }
  const digest = await globalThis.crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
