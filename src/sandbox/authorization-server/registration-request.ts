import type { JsonValue } from '../../core/text/json.js';
import type { SentResponse } from '../wire/response.js';
import { problemOfKeySet } from './client-keys.js';
import { oauthError } from './oauth-error.js';
import { isAcceptable } from './redirect-uri.js';

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
