import type { ClientAuth, PrivateKey } from 'oauth4webapi';
import type { ClientAuthMethod } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import { importPrivateKey } from './client-key.js';

/** A client as the token endpoint sees it (RFC 6749 section 2.3). */
export interface ClientAuthentication {
  readonly clientId: string;
  readonly method: ClientAuthMethod;
  /** Present exactly for the two secret methods, and for `private_key_jwt`: then it is the private key, PEM or JWK. */
  readonly secret: Secret | undefined;
  /** Further keys of the client, for a server that does not know the first one (yet), the newest first. */
  readonly otherKeys?: readonly Secret[];
}

/**
 * Puts the client's authentication into a form request: identifier and secret form-encoded for Basic, in the
 * body for post, a fresh assertion for this issuer alone, good for a minute, for `private_key_jwt` (RFC 7523 section
 * 2.2), the identifier alone for a public client. Adds to `form`, returns the headers to send.
 */
export async function authenticateClient(
  client: ClientAuthentication,
  issuer: string,
  form: URLSearchParams,
): Promise<readonly (readonly [string, string])[]> {
  const { clientId, method } = client;
  const secret = client.secret?.reveal();
  if (secret !== undefined && method === 'client_secret_basic') {
    return [['authorization', `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(secret)}`)}`]];
  }
  const { ClientSecretPost, None, PrivateKeyJwt } = await import('oauth4webapi');
  const authentication = async (): Promise<ClientAuth> => {
    if (secret === undefined || method === 'none') return None();
    return method === 'private_key_jwt' ? PrivateKeyJwt(await importKey(secret)) : ClientSecretPost(secret);
  };
  // None of the three looks at the headers; the platform's own Headers costs 22 ms at its first use.
  await (await authentication())({ issuer }, { client_id: clientId }, form, {} as Headers);
  return [];
}

/** A stored key was judged before it was stored. */
async function importKey(text: string): Promise<PrivateKey> {
  const imported = await importPrivateKey(text);
  if (!imported.ok) throw new Error(`the stored private key cannot be used: ${imported.why}`);
  const { key, keyId } = imported;
  return keyId === undefined ? { key } : { key, kid: keyId };
}

/**
 * As forms are encoded, and no further (RFC 6749 section 2.3.1 and appendix B). The library escapes `-`, `.` and `_`
 * as well, which decodes to the same, but not at the servers that do not decode.
 */
function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice('v='.length);
}

/**
 * The method for a client with or without a secret, given what the token endpoint lists. A client without a
 * secret tries `none` even where it is not listed: several servers forget it.
 */
export function authMethodFor(hasSecret: boolean, listed: readonly string[] | undefined): ClientAuthMethod {
  if (!hasSecret) {
    return 'none';
  }
  if (
    listed === undefined ||
    listed.includes('client_secret_basic') ||
    !listed.includes('client_secret_post')
  ) {
    return 'client_secret_basic';
  }
  return 'client_secret_post';
}
