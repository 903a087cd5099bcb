import type { ClientAuth } from 'oauth4webapi';
import type { ClientAuthMethod } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';

/** A client as the token endpoint sees it (RFC 6749 section 2.3). */
export interface ClientAuthentication {
  readonly clientId: string;
  readonly method: ClientAuthMethod;
  /** Present exactly for the two secret methods. */
  readonly secret: Secret | undefined;
}

/**
 * Puts the client's authentication into a form request: identifier and secret form-encoded for Basic, in the
 * body for post, the identifier alone for a public client. Adds to `form`, returns the headers to send.
 */
export async function authenticateClient(
  client: ClientAuthentication,
  issuer: string,
  form: URLSearchParams,
): Promise<readonly (readonly [string, string])[]> {
  const { ClientSecretBasic, ClientSecretPost, None } = await import('oauth4webapi');
  const headers: [string, string][] = [];
  // The platform's own Headers costs 22 ms at its first use; the library only ever calls `set`.
  const sink = { set: (name: string, value: string) => headers.push([name, value]) } as unknown as Headers;
  const secret = client.secret?.reveal();
  let authentication: ClientAuth = None();
  if (secret !== undefined && client.method !== 'none') {
    authentication =
      client.method === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret);
  }
  await authentication({ issuer }, { client_id: client.clientId }, form, sink);
  return headers;
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
