import type { OutboundDoor } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
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
    readonly login: Pick<LoginRecord, 'server' | 'zone'>;
    readonly signal: AbortSignal;
  },
): Promise<TokenAnswer> {
  const { held, scopes, login, signal } = renewal;
  const { issuer, resource, clientId } = held.binding;
  const request = {
    endpoint: held.tokenEndpoint,
    client: { clientId, method: held.authMethod, secret: held.clientSecret },
    issuer,
    resource,
    scopes,
    zone: login.zone,
    signal,
  };
  await nameOwnHost(door, login.server, held.tokenEndpoint, signal);
  if (held.grant === 'client_credentials') {
    return sendClientCredentialsRequest(door, request);
  }
  if (held.refreshToken === undefined) {
    throw new Error('a credential without a refresh token is not renewed');
  }
  return sendRefreshRequest(door, { ...request, refreshToken: held.refreshToken });
}

/**
 * Tells the HTTP client that a person named the host of an endpoint, where the login's server is there too: the person's
 * own host may have a private address beside a global one, which is refused to all others that a server names.
 * @throws Failure of the door
 */
export async function nameOwnHost(
  door: OutboundDoor,
  server: string,
  endpoint: string,
  signal: AbortSignal,
): Promise<void> {
  if (new URL(server).hostname !== new URL(endpoint).hostname) return;
  await door.check({ url: server, namedBy: 'person', signal });
}
