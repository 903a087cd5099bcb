import type { Failure } from '../core/failure.js';
import type { Journal } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { OutboundDoor } from '../http/request.js';
import { grantRefused, tokenEndpointFailed, tokenTypeUnusable } from '../oauth/failures.js';
import { identityIn } from '../oauth/id-token.js';
import {
  type FailedToken,
  type IssuedToken,
  sendClientCredentialsRequest,
  sendRefreshRequest,
} from '../oauth/token.js';
import type { StoredCredential } from '../stores/credential-item.js';
import { tokensRefusedTooOften, tokenUnusable } from './failures.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';

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
): Promise<Response> {
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

/** Tokens of one login that a server may refuse within a minute. */
const mostRefused = 3;

/**
 * A refresh is for whoever logged in, or its answer is not used (OpenID Connect Core 1.0, section 12.2).
 * @throws Failure `token_unusable`
 */
export function checkSubject(
  ports: TokenPorts,
  { binding, subject }: StoredCredential,
  token: IssuedToken,
): void {
  const now = identityIn(token.idToken, binding)?.subject;
  if (subject !== undefined && now !== undefined && now !== subject) {
    const why = 'its ID token is for somebody else than the one who logged in';
    throw tokenUnusable(binding.issuer, why, ports.journal.steps);
  }
}

/**
 * A token that the server refuses although it lives is replaced so often within a minute, over all processes.
 * @throws Failure `token_refused`
 */
export async function countRefused(ports: TokenPorts, { login, rejected }: ValidTokenRequest): Promise<void> {
  const name = `refused token ${login.key}`;
  if (rejected !== undefined && !(await ports.attempts.take(name, mostRefused, 60_000))) {
    throw tokensRefusedTooOften(login, mostRefused);
  }
}

/** The failure for a response that gives no token. */
export function tokenFailure(judged: FailedToken, issuer: string, journal: Journal): Failure {
  switch (judged.problem) {
    case 'refused':
      return grantRefused(issuer, judged, journal.steps);
    case 'transient':
      return tokenEndpointFailed(issuer, judged.status, judged.retryAfterMs, journal.steps);
    case 'type':
      return tokenTypeUnusable(issuer, judged.found, journal.steps);
    case 'unusable':
      return tokenUnusable(issuer, judged.why, journal.steps);
  }
}
