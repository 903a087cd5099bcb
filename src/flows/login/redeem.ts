import type { Failure } from '../../errors/failure.js';
import { grantRefused, tokenEndpointFailed, tokenTypeUnusable, tokenUnusable } from '../../errors/token.js';
import type { Ports } from '../../ports.js';
import type { Secret } from '../../primitives/secret.js';
import type { ClientAuthentication } from '../../protocol/oauth/client-authentication.js';
import { audienceWarning } from '../../protocol/oauth/token-audience.js';
import {
  type EndpointRequest,
  sendCodeRequest,
  type TokenAnswer,
} from '../../protocol/oauth/token-request.js';
import {
  type IssuedToken,
  judgeTokenAnswer,
  type TokenJudgement,
} from '../../protocol/oauth/token-response.js';
import type { Discovery } from '../discovery/discover.js';
import { toldStep } from '../told-step.js';
import type { Authorization } from './authorize.js';
import { askAsClient } from './client-method.js';

type Needs = Pick<Ports, 'door' | 'journal' | 'progress' | 'clock'>;

/** A token, and how the client authenticated to get it (for its refreshes). */
export interface Redeemed {
  readonly token: IssuedToken;
  readonly client: ClientAuthentication;
}

/**
 * Redeems the code (RFC 6749 section 4.1.3).
 * @throws Failure `invalid_grant`, `invalid_client`, `grant_refused`, `token_unusable`, `token_type_unusable`,
 * `token_endpoint_failed`, or the door's
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
  const spent = [authorization.code, authorization.verifier];
  return askForToken(ports, { ...request, step: 'redeem', spent }, (endpoint) =>
    sendCodeRequest(ports.door, { ...endpoint, ...authorization, redirectUri }),
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
  send: (endpoint: EndpointRequest & { readonly resource: string }) => Promise<TokenAnswer>,
): Promise<Redeemed> {
  const { discovery, scopes, step, spent, signal } = request;
  const server = discovery.authorizationServer;
  const asked = { name: step, asked: `POST ${server.tokenEndpoint}` };
  const { judged, client } = await askAsClient(server, request.client, async (client) => {
    const answer = await toldStep(ports, { ...asked, rule: 'R-2.5a' }, () =>
      send({
        endpoint: server.tokenEndpoint,
        issuer: server.issuer,
        zone: discovery.zone,
        resource: discovery.protectedResource.resource,
        client,
        signal,
      }),
    );
    return judgeTokenAnswer(answer, {
      now: ports.clock.now(),
      requested: scopes,
      sent: [client.secret, ...spent],
    });
  });
  if (judged.ok) {
    return { token: withAudienceJudged(ports, judged.token, discovery.server, asked), client };
  }
  ports.journal.record({ ...asked, came: judged.problem, rule: 'R-2.5a', verdict: 'failure' });
  throw tokenFailure(judged, server.issuer, ports.journal);
}

/** Records how the token was got; one that is plainly for another server gets a warning. */
export function withAudienceJudged(
  ports: Pick<Ports, 'journal'>,
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

/** The failure for a judgement that is none of success. */
export function tokenFailure(
  judged: Exclude<TokenJudgement, { readonly ok: true }>,
  issuer: string,
  journal: Ports['journal'],
): Failure {
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
