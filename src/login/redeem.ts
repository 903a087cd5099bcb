import { takeStep } from '../core/ports.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import { resourceToSend } from '../oauth/discover.js';
import { audienceWarning } from '../oauth/id-token.js';
import type { AuthorizationServer } from '../oauth/server-metadata.js';
import {
  type IssuedToken,
  sendTokenRequest,
  type TokenGrant,
  type TokenResult,
  validateTokenResponse,
} from '../oauth/token.js';
import { tokenFailure } from '../tokens/send-refresh.js';
import type { BegunLogin, LoginPorts } from './ports.js';

/** A token, and how the client authenticated to get it (for its refreshes). */
export interface Redeemed {
  readonly token: IssuedToken;
  readonly client: ClientAuthentication;
}

/** What a token is asked with: of a login that is begun, and as whom. */
export interface TokenRequest extends Pick<BegunLogin, 'discovery' | 'scopes' | 'dpop'> {
  readonly ports: Pick<LoginPorts, 'http' | 'journal' | 'clock'>;
  readonly client: ClientAuthentication;
  readonly signal: AbortSignal;
}

/**
 * Gets a token: redeems a code (RFC 6749 section 4.1.3), or whatever else the grant is.
 * @param name Of the step.
 * @throws Failure `invalid_grant`, `invalid_client`, `grant_refused`, `token_unusable`, `token_type_unusable`,
 * `token_endpoint_failed`, or the HTTP client's
 */
export async function askForToken(name: string, request: TokenRequest, grant: TokenGrant): Promise<Redeemed> {
  const { ports, discovery } = request;
  const { issuer, tokenEndpoint } = discovery.authorizationServer;
  const step = { name, asked: `POST ${tokenEndpoint}`, rule: 'R-2.5a' };
  const { result, client } = await takeStep(ports, step, () => tokenResult(request, grant));
  if (result.ok) return { token: recordToken(name, request, result.token), client };
  const rule = result.problem === 'refused' ? 'RFC 6749 section 5.2' : 'RFC 6749 section 5.1';
  ports.journal.record({ ...step, rule, came: result.problem, verdict: 'failure' });
  throw tokenFailure(result, issuer);
}

/** What the token endpoint says to this client. @throws Failure of the HTTP client */
export function tokenResult(
  { ports, discovery, client, scopes, dpop, signal }: TokenRequest,
  grant: TokenGrant,
): Promise<AsClient<TokenResult, ClientAuthentication>> {
  const { authorizationServer: server, zone } = discovery;
  const resource = resourceToSend(discovery);
  const target = { endpoint: server.tokenEndpoint, issuer: server.issuer, resource, zone, dpop };
  const spent = 'code' in grant ? [grant.code, grant.verifier] : [];
  return askAsClient(server, client, async (as) => {
    const response = await sendTokenRequest(ports.http, { ...target, client: as, signal }, grant);
    const sent = [as.secret, dpop?.key, ...spent];
    return await validateTokenResponse(response, { now: ports.clock.now(), requested: scopes, sent, dpop });
  });
}

/** Records how the token was got; one that is plainly for another server gets a warning. */
export function recordToken(name: string, request: TokenRequest, token: IssuedToken): IssuedToken {
  const { ports, dpop } = request;
  const { server, authorizationServer } = request.discovery;
  const unbound =
    dpop === undefined || token.isBound
      ? undefined
      : 'the authorization server announces DPoP and issued a Bearer token: it is not bound to a key (RFC 9449 section 5)';
  const note = audienceWarning(token.accessToken, server) ?? unbound;
  const asked = `POST ${authorizationServer.tokenEndpoint}`;
  const came = token.isBound ? 'a token bound to our key (DPoP)' : 'a Bearer token';
  const step = { name, asked, came, rule: 'R-2.5a' } as const;
  ports.journal.record(note === undefined ? { ...step, verdict: 'pass' } : { ...step, verdict: 'warning', note });
  return note === undefined ? token : { ...token, warnings: [...token.warnings, note] };
}

type EndpointResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly error?: string; readonly status?: number };

/** A result, and the client with the method and the key that were last used. */
interface AsClient<Result, Client> {
  readonly result: Result;
  readonly client: Client;
}

/**
 * Asks an endpoint as this client. Where Basic authentication fails and the server lists client_secret_post, that is
 * tried once, and where a key is not known, the client's next one: authentication comes before anything is spent.
 */
export async function askAsClient<Result extends EndpointResult, Client extends ClientAuthentication>(
  server: AuthorizationServer,
  client: Client,
  ask: (client: Client) => Promise<Result>,
): Promise<AsClient<Result, Client>> {
  const result = await ask(client);
  const isRefused =
    !result.ok && result.problem === 'refused' && (result.error === 'invalid_client' || result.status === 401);
  if (!isRefused) return { result, client };
  const [secret, ...otherKeys] = client.otherKeys ?? [];
  if (secret !== undefined) return askAsClient(server, { ...client, secret, otherKeys }, ask);
  const mayPost = server.tokenAuthMethods?.includes('client_secret_post') === true;
  if (client.method !== 'client_secret_basic' || !mayPost) return { result, client };
  const changed = { ...client, method: 'client_secret_post' } as const;
  return { result: await ask(changed), client: changed };
}
