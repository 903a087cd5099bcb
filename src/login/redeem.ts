import type { CorePorts } from '../core/ports.js';
import { takeStep } from '../core/ports.js';
import type { Secret } from '../core/secret.js';
import type { HttpPorts } from '../http/request.js';
import type { AuthorizationCode } from '../oauth/authorization-response.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import type { Discovery } from '../oauth/discover.js';
import type { EndpointRequest } from '../oauth/engine.js';
import { audienceWarning } from '../oauth/id-token.js';
import type { AuthorizationServer } from '../oauth/server-metadata.js';
import { type IssuedToken, sendCodeRequest, validateTokenResponse } from '../oauth/token.js';
import { tokenFailure } from '../tokens/send-refresh.js';

export interface Authorization {
  readonly code: AuthorizationCode;
  readonly verifier: Secret;
}

type Needs = Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress' | 'clock'>;

/** A token, and how the client authenticated to get it (for its refreshes). */
export interface Redeemed {
  readonly token: IssuedToken;
  readonly client: ClientAuthentication;
}

/**
 * Redeems the code (RFC 6749 section 4.1.3).
 * @throws Failure `invalid_grant`, `invalid_client`, `grant_refused`, `token_unusable`, `token_type_unusable`,
 * `token_endpoint_failed`, or the HTTP client's
 */
export function redeem(
  ports: Needs,
  request: {
    readonly discovery: Discovery;
    readonly client: ClientAuthentication;
    readonly authorization: Authorization;
    readonly redirectUri: string;
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<Redeemed> {
  const { authorization, redirectUri } = request;
  ports.progress.begin('Redeeming the code');
  const spent = [authorization.code.secret, authorization.verifier];
  return askForToken(ports, { ...request, step: 'redeem', spent }, (endpoint) =>
    sendCodeRequest(ports.http, { ...endpoint, ...authorization, redirectUri }),
  );
}

/**
 * Gets a token with whatever grant `send` asks by, and judges it.
 * @throws Failure as `redeem`
 */
export async function askForToken(
  ports: Needs,
  request: {
    readonly discovery: Discovery;
    readonly client: ClientAuthentication;
    readonly scopes: readonly string[];
    readonly step: string;
    /** Secrets of the request, beside the client's. */
    readonly spent: readonly Secret[];
    readonly signal: AbortSignal;
  },
  send: (endpoint: EndpointRequest & { readonly resource: string }) => Promise<Response>,
): Promise<Redeemed> {
  const { discovery, scopes, step, spent, signal } = request;
  const server = discovery.authorizationServer;
  const asked = { name: step, asked: `POST ${server.tokenEndpoint}` };
  const { judged, client } = await askAsClient(server, request.client, async (client) => {
    const response = await takeStep(ports, { ...asked, rule: 'R-2.5a' }, () =>
      send({
        endpoint: server.tokenEndpoint,
        issuer: server.issuer,
        zone: discovery.zone,
        resource: discovery.protectedResource.resource,
        client,
        signal,
      }),
    );
    return await validateTokenResponse(response, {
      now: ports.clock.now(),
      requested: scopes,
      sent: [client.secret, ...spent],
    });
  });
  if (judged.ok) return { token: withAudienceJudged(ports, judged.token, discovery.server, asked), client };
  ports.journal.record({ ...asked, came: judged.problem, rule: 'R-2.5a', verdict: 'failure' });
  throw tokenFailure(judged, server.issuer);
}

/** Records how the token was got; one that is plainly for another server gets a warning. */
export function withAudienceJudged(
  ports: Pick<CorePorts, 'journal'>,
  token: IssuedToken,
  server: string,
  asked: { readonly name: string; readonly asked: string },
): IssuedToken {
  const note = audienceWarning(token.accessToken, server);
  const step = { ...asked, came: 'a Bearer token', rule: 'R-2.5a' } as const;
  if (note === undefined) {
    ports.journal.record({ ...step, verdict: 'pass' });
    return token;
  }
  ports.journal.record({ ...step, verdict: 'warning', note });
  return { ...token, warnings: [...token.warnings, note] };
}

type Judgement =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly error?: string; readonly status?: number };

/**
 * Asks an endpoint as this client. Where Basic authentication fails and the server lists client_secret_post, that is
 * tried once, and where a key is not known, the client's next one: authentication comes before anything is spent. The
 * client comes back with the method and the key that were last used.
 */
export async function askAsClient<Judged extends Judgement, Client extends ClientAuthentication>(
  server: AuthorizationServer,
  client: Client,
  ask: (client: Client) => Promise<Judged>,
): Promise<{ readonly judged: Judged; readonly client: Client }> {
  const judged = await ask(client);
  const [secret, ...otherKeys] = client.otherKeys ?? [];
  if (clientRefused(judged) && secret !== undefined) return askAsClient(server, { ...client, secret, otherKeys }, ask);
  const otherMethod =
    clientRefused(judged) &&
    client.method === 'client_secret_basic' &&
    server.tokenAuthMethods?.includes('client_secret_post') === true;
  if (!otherMethod) return { judged, client };
  const changed = { ...client, method: 'client_secret_post' } as const;
  return { judged: await ask(changed), client: changed };
}

function clientRefused(judged: Judgement): boolean {
  return !judged.ok && judged.problem === 'refused' && (judged.error === 'invalid_client' || judged.status === 401);
}
