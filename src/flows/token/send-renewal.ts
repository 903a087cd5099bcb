import type { OutboundDoor } from '../../ports.js';
import type { Zone } from '../../primitives/records.js';
import type { StoredCredential } from '../../protocol/credential-item.js';
import {
  sendClientCredentialsRequest,
  sendRefreshRequest,
  type TokenAnswer,
} from '../../protocol/oauth/token-request.js';

/**
 * Asks for a new token without a person: with the refresh token, or, for a login of the client's own, as at the login.
 * `scopes` are those held; more than those only the client's own login may ask for.
 * @throws Failure of the door
 */
export async function sendRenewal(
  door: OutboundDoor,
  renewal: {
    readonly held: StoredCredential;
    readonly scopes: readonly string[];
    readonly zone: Zone;
    readonly signal: AbortSignal;
  },
): Promise<TokenAnswer> {
  const { held, scopes, zone, signal } = renewal;
  const { issuer, resource, clientId } = held.binding;
  const request = {
    endpoint: held.tokenEndpoint,
    client: { clientId, method: held.authMethod, secret: held.clientSecret },
    issuer,
    resource,
    scopes,
    zone,
    signal,
  };
  if (held.grant === 'client_credentials') {
    return sendClientCredentialsRequest(door, request);
  }
  if (held.refreshToken === undefined) {
    throw new Error('a credential without a refresh token is not renewed');
  }
  return sendRefreshRequest(door, { ...request, refreshToken: held.refreshToken });
}
