import type { ClientAuth, PrivateKey } from 'oauth4webapi';
import type { ClientAuthMethod } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import { importPrivateKey } from './client-key.js';
import { plainBasic } from './leniency.js';
import { assertionAuth } from './workload/assertion.js';

/** A client as the token endpoint sees it (RFC 6749 section 2.3). */
export interface ClientAuthentication {
  readonly clientId: string;
  readonly method: ClientAuthMethod;
  /** Present exactly for the two secret methods, and for `private_key_jwt`: then it is the private key, PEM or JWK. */
  readonly secret: Secret | undefined;
  /** A token that a platform has signed for the client, in place of a secret (RFC 7523 section 2.2): for this one request. */
  readonly assertion?: Secret;
  /** Further keys of the client, for a server that does not know the first one (yet), the newest first. */
  readonly otherKeys?: readonly Secret[];
}

/**
 * How the client authenticates: identifier and secret for Basic, in the body for post, a fresh assertion for this issuer
 * alone, good for a minute, for `private_key_jwt` (RFC 7523 section 2.2), the identifier alone for a public client.
 */
export async function clientAuthentication({ method, secret, assertion }: ClientAuthentication): Promise<ClientAuth> {
  if (assertion !== undefined) return assertionAuth(assertion);
  const { ClientSecretPost, None, PrivateKeyJwt } = await import('oauth4webapi');
  if (secret === undefined || method === 'none') return None();
  const text = secret.reveal();
  if (method === 'private_key_jwt') return PrivateKeyJwt(await importKey(text));
  return method === 'client_secret_basic' ? plainBasic(text) : ClientSecretPost(text);
}

/** A stored key was validated before it was stored. */
async function importKey(text: string): Promise<PrivateKey> {
  const imported = await importPrivateKey(text);
  if (!imported.ok) throw new Error(`the stored private key cannot be used: ${imported.why}`);
  const { key, keyId } = imported;
  return keyId === undefined ? { key } : { key, kid: keyId };
}

/**
 * The method for a client with or without a secret, given what the token endpoint lists. A client without a
 * secret tries `none` even where it is not listed: several servers forget it.
 */
export function authMethodFor(hasSecret: boolean, listed: readonly string[] | undefined): ClientAuthMethod {
  if (!hasSecret) return 'none';
  if (listed === undefined || listed.includes('client_secret_basic') || !listed.includes('client_secret_post')) {
    return 'client_secret_basic';
  }
  return 'client_secret_post';
}
